"""Plain C++ code that links libraries with mixed sources, and calls their host API."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from support.commands import build, configure, run, succeed
from support.tools.small_headers import set_device_headers
from support.tools.toolchains import needs_backend, needs_hipcc, require_programs

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(consumers LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(the-kernels SHARED)
kbuild_target_sources(the-kernels PRIVATE kernel.cu
    BACKEND ${BACKEND} ARCHITECTURES ${ARCHITECTURES} VERIFY OFF)
foreach(spelling IN ITEMS cuda hip)
    add_executable(${spelling} main.cpp)
    target_compile_definitions(${spelling} PRIVATE CALL=${spelling}
        HEADER=<$<IF:$<STREQUAL:${spelling},hip>,hip/hip_runtime.h,cuda_runtime.h>>)
    target_link_libraries(${spelling} PRIVATE the-kernels)
endforeach()
"""
KERNEL = """
#if !defined(the_kernels_EXPORTS)
#error "CMake defines this macro for the sources of a shared library"
#endif
__global__ void set(int* to) { *to = 7; }
"""
MAIN = """
#include HEADER
#define JOIN(a, b) a##b
#define EXPAND(a, b) JOIN(a, b)
#define API(name) EXPAND(CALL, name)
void set(int* to);
int main() {
    int* to = nullptr;
    void* arguments[] = {&to};
    auto error = API(MallocManaged)(reinterpret_cast<void**>(&to), sizeof *to);
    auto* kernel = reinterpret_cast<const void*>(set);
    if (!error) error = API(LaunchKernel)(kernel, dim3(1), dim3(1), arguments, 0, 0);
    return static_cast<int>(error);
}
"""
SEVERAL_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(several LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(on-cpu SHARED)
kbuild_target_sources(on-cpu PRIVATE kernel.cu BACKEND cpu)
add_library(on-gpu SHARED)
set_target_properties(on-gpu PROPERTIES DEFINE_SYMBOL GPU_DLL)
kbuild_target_sources(on-gpu PRIVATE kernel.cu BACKEND cuda ARCHITECTURES 80-real)
foreach(program IN ITEMS plain selected own)
    add_executable(${program} ${program}.cpp)
    target_link_libraries(${program} PRIVATE on-cpu on-gpu)
endforeach()
set_target_properties(selected PROPERTIES KBUILD_BACKEND cuda)
kbuild_target_sources(own PRIVATE kernel.cu BACKEND cuda ARCHITECTURES 80-real)
"""
BACKENDS = [
    pytest.param("cuda", "80-real", marks=needs_backend("cuda")),
    pytest.param("hip", "gfx90a", marks=(needs_hipcc(), pytest.mark.slow)),
]


# tests/projects/mixed_kinds runs such a program on the CPU.
@pytest.mark.slow
@pytest.mark.parametrize(("backend", "architecture"), BACKENDS)
def test_program_calls_the_host_api_in_both_spellings(
    tmp_path: Path, backend: str, architecture: str
) -> None:
    require_programs("pkg-config")
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "kernel.cu").write_text(KERNEL)
    main = tmp_path / "main.cpp"
    main.write_text(MAIN)
    built = tmp_path / "build"
    settings = (f"BACKEND={backend}", f"ARCHITECTURES={architecture}")
    succeed(configure(tmp_path, built, *settings, set_device_headers(backend)))

    output = succeed(build(built))

    assert "warning" not in output
    packages = f"PKG_CONFIG_PATH={built}/kbuild/pkgconfig"
    flags = "$(pkg-config --cflags --libs the-kernels)"
    spelling = "-DCALL=cuda '-DHEADER=<cuda_runtime.h>'"
    script = f'eval "g++ -std=c++17 -Werror {main} -o {built}/plain {spelling} {flags}"'
    succeed(run("env", packages, "sh", "-c", script))


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with libraries for two backends, which is only configured."""
    directory = tmp_path_factory.mktemp("several")
    (directory / "CMakeLists.txt").write_text(SEVERAL_PROJECT)
    (directory / "kernel.cu").write_text("__global__ void set(int* to) { *to = 7; }\n")
    for name in ("plain", "selected", "own"):
        source = directory / f"{name}.cpp"
        source.write_text("#include <cuda_runtime.h>\nint main() { return cudaSetDevice(0); }\n")
    succeed(configure(directory, directory / "build", "CMAKE_EXPORT_COMPILE_COMMANDS=ON"))
    return directory / "build"


@needs_backend("cuda")
@pytest.mark.parametrize(
    ("program", "expected"),
    [("plain", {"CPU", "CUDA"}), ("selected", {"CUDA"}), ("own", {"CUDA"})],
)
def test_headers_of_one_backend_are_selected(
    several: Path, program: str, expected: set[str]
) -> None:
    commands = json.loads((several / "compile_commands.json").read_text())
    (command,) = (c["command"] for c in commands if c["file"].endswith(f"/{program}.cpp"))

    compiled = run("sh", "-c", f"{command} -fsyntax-only", cwd=several)

    assert set(re.findall(r"-DKBUILD_BACKEND_(\w+)=", command)) == expected
    assert (compiled.returncode == 0) == (len(expected) == 1)
    assert ("set the property KBUILD_BACKEND" in compiled.stderr) == (len(expected) > 1)


@needs_backend("cuda")
@pytest.mark.parametrize(
    ("target", "macro"), [("on-cpu", "on_cpu_EXPORTS"), ("on-gpu", "GPU_DLL"), ("own", "")]
)
def test_macro_of_shared_libraries_is_that_of_cmake(several: Path, target: str, macro: str) -> None:
    for name in ("flags.CXX.txt", "host_flags.CXX.txt"):
        lines = (several / "kbuild" / target / name).read_text().splitlines()
        found = [line for line in lines if re.match(r"definition .*(EXPORTS|DLL)$", line)]
        assert found == ([f"definition {macro}"] if macro else [])
