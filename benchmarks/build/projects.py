"""Projects that build one program from the same kernel sources in four ways."""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kbuild import resources

SOURCES = Path(__file__).parent / "sources"

MAIN = """{declarations}
int main(int count, char**)
{{
    if (count > 99) {{ {calls} }}
}}
"""
LAUNCH_BY_KBUILD = """#include <kbuild/kbuild.hpp>
KBUILD_KERNEL void {name}(const float* in, float* out);
void launch_{name}(const float* in, float* out)
{{
    (void)kbuild::launch({name}, {{1, 128}}, in, out); // edit 0
}}
"""
LAUNCH_BY_CHEVRONS = """#include "{name}.cu"
void launch_{name}(const float* in, float* out)
{{
    {name}<<<1, 128>>>(in, out); // edit 0
}}
"""
KBUILD_PROJECT = """cmake_minimum_required(VERSION 3.22...4.0)
project(program LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels STATIC SOURCES {kernels} BACKEND cuda ARCHITECTURES {architectures})
add_executable(program main.cpp {hosts})
target_compile_features(program PRIVATE cxx_std_17)
target_link_libraries(program PRIVATE kernels)
"""
CMAKE_PROJECT = """cmake_minimum_required(VERSION 3.22...4.0)
project(program LANGUAGES CXX CUDA)
add_executable(program main.cpp {hosts})
set_target_properties(program PROPERTIES CUDA_STANDARD 17 CUDA_ARCHITECTURES "{architectures}"
    CUDA_RUNTIME_LIBRARY Static)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """What to build: a cubin for each architecture, and PTX of the last for later devices."""

    names: tuple[str, ...]
    architectures: tuple[str, ...]

    @property
    def cmake_architectures(self) -> tuple[str, ...]:
        *first, last = self.architectures
        return (*(f"{number}-real" for number in first), last)

    @property
    def launch_files(self) -> tuple[str, ...]:
        return tuple(f"launch_{name}" for name in self.names)


FULL = Workload(
    names=("sort", "reduce", "scan", "histogram"),
    architectures=("75", "80", "86", "89", "90", "100"),
)
TINY = Workload(names=("reduce",), architectures=("90",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A way to build the program: its directory and commands.

    ``launch_file`` has the host code of a kernel, and ``kernel_file`` its device code.
    ``configure`` is None if the project does not need to be configured.
    """

    directory: Path
    configure: tuple[object, ...] | None
    build: tuple[object, ...]
    launch_file: str
    kernel_file: str

    def edit_host(self, generation: int) -> None:
        """Change the host code that launches one kernel."""
        path = self.directory / self.launch_file
        path.write_text(path.read_text() + f"// host {generation}\n")

    def edit_kernel(self, generation: int) -> None:
        """Change one kernel's source."""
        name = Path(self.kernel_file).stem
        path = self.directory / self.kernel_file
        path.write_text(path.read_text() + f"static __device__ int {name}_{generation}();\n")


def make_kbuild_project(directory: Path, work: Workload) -> Project:
    """Write a project that uses kbuild's CMake function."""
    _write_program(directory, work, LAUNCH_BY_KBUILD, ".cpp")
    text = KBUILD_PROJECT.format(
        kernels=" ".join(f"{name}.cu" for name in work.names),
        hosts=" ".join(f"launch_{name}.cpp" for name in work.names),
        architectures=" ".join(work.cmake_architectures),
    )
    (directory / "CMakeLists.txt").write_text(text)
    installed = Path(sysconfig.get_path("scripts")) / "kbuild"
    kbuild = os.environ.get("KBUILD_EXECUTABLE", installed)
    return Project(
        directory=directory,
        configure=(
            *("cmake", "-S", directory, "-B", directory / "build", "-G", "Ninja"),
            *("-DCMAKE_BUILD_TYPE=Release", f"-Dkbuild_DIR={resources.cmake_directory()}"),
            f"-DKBUILD_EXECUTABLE={kbuild}",
        ),
        build=("cmake", "--build", directory / "build"),
        launch_file=f"{work.launch_files[0]}.cpp",
        kernel_file=f"{work.names[0]}.cu",
    )


def make_cmake_project(directory: Path, work: Workload, nvcc: Path) -> Project:
    """Write a project that uses CMake's CUDA language."""
    _write_program(directory, work, LAUNCH_BY_CHEVRONS, ".cu")
    text = CMAKE_PROJECT.format(
        hosts=" ".join(f"launch_{name}.cu" for name in work.names),
        architectures=";".join(work.cmake_architectures),
    )
    (directory / "CMakeLists.txt").write_text(text)
    return Project(
        directory=directory,
        configure=(
            *("cmake", "-S", directory, "-B", directory / "build", "-G", "Ninja"),
            *("-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CUDA_COMPILER={nvcc}"),
        ),
        build=("cmake", "--build", directory / "build"),
        launch_file=f"{work.launch_files[0]}.cu",
        kernel_file=f"{work.names[0]}.cu",
    )


def make_nvcc_project(directory: Path, work: Workload, nvcc: Path) -> Project:
    """Write a project that compiles all architectures of a source with one ``nvcc -c -t 2``."""
    _write_program(directory, work, LAUNCH_BY_CHEVRONS, ".cu")
    codes = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in work.architectures]
    newest = work.architectures[-1]
    codes.append(f"-gencode=arch=compute_{newest},code=compute_{newest}")
    edges = [
        _edge(
            f"launch_{name}.o",
            f"launch_{name}.cu",
            f"{nvcc} -c -std=c++17 -O3 -t 2 -MD -MF $out.d",
            *codes,
        )
        for name in work.names
    ]
    objects = " ".join(f"launch_{name}.o" for name in work.names)
    edges += [
        _edge("main.o", "main.cpp", "g++ -c -O3 -MD -MF $out.d"),
        f"rule link\n  command = {nvcc} $in -o $out\nbuild program: link main.o {objects}\n",
    ]
    return _write_ninja(directory, work, edges, ".cu")


def make_edges_project(directory: Path, work: Workload, nvcc: Path) -> Project:
    """Write a project that only compiles: one nvcc per source and architecture, and g++."""
    _write_program(directory, work, LAUNCH_BY_KBUILD, ".cpp")
    edges = []
    for name in work.names:
        for number in work.architectures:
            target = f"{name}.{number}.cubin"
            options = [f"-arch=compute_{number}", f"-code=sm_{number}"]
            if number == work.architectures[-1]:
                options.append(f"--keep --keep-dir keep_{name}")
                (directory / f"keep_{name}").mkdir()
            command = (
                f"{nvcc} -x cu -cubin -std=c++17 -Xptxas -v -Xcompiler -MMD,-MF,$out.d,-MQ,$out"
            )
            edges.append(_edge(target, f"{name}.cu", command, *options))
    root = nvcc.resolve().parent.parent
    host = "g++ -c -O3 -DNDEBUG -std=c++17 -DKBUILD_BACKEND_CUDA=1 -MD -MF $out.d"
    includes = (resources.native_directory() / "include", root / "include")
    host += "".join(f" -isystem {path}" for path in includes)
    edges += [_edge(f"{stem}.o", f"{stem}.cpp", host) for stem in ("main", *work.launch_files)]
    return _write_ninja(directory, work, edges, ".cpp")


def _edge(target: str, source: str, command: str, *options: str) -> str:
    rule = target.replace(".", "_")
    return (
        f"rule {rule}\n  command = {command} {' '.join(options)} $in -o $out\n"
        f"  depfile = $out.d\n  deps = gcc\nbuild {target}: {rule} {source}\n"
    )


def _write_ninja(directory: Path, work: Workload, edges: Sequence[str], suffix: str) -> Project:
    (directory / "build.ninja").write_text("\n".join(edges))
    return Project(
        directory=directory,
        configure=None,
        build=("ninja", "-C", directory),
        launch_file=f"{work.launch_files[0]}{suffix}",
        kernel_file=f"{work.names[0]}.cu",
    )


def _write_program(directory: Path, work: Workload, launch: str, suffix: str) -> None:
    directory.mkdir()
    for name in work.names:
        shutil.copy(SOURCES / f"{name}.cu", directory)
        (directory / f"launch_{name}{suffix}").write_text(launch.format(name=name))
    declarations = "".join(f"void launch_{name}(const float*, float*);\n" for name in work.names)
    calls = " ".join(f"launch_{name}(nullptr, nullptr);" for name in work.names)
    (directory / "main.cpp").write_text(MAIN.format(declarations=declarations, calls=calls))
