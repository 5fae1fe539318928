"""Projects that build the same programs with kbuild, CMake's CUDA language, and nvcc."""

from __future__ import annotations

import os
import shutil
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import time_command
from benchmarks.mixed.sources import Source, copy_source
from kbuild import resources

HEAD = """cmake_minimum_required(VERSION 3.22...4.0)
project(programs LANGUAGES {languages})
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CUDA_STANDARD 17)
{setup}
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """What all sides build.

    Attributes:
        samples: The samples' root.
        sources: The programs.
        architectures: The numbers of the architectures; PTX is added for the last one.
        nvcc: The compiler.
    """

    samples: Path
    sources: tuple[Source, ...]
    architectures: tuple[str, ...]
    nvcc: Path

    @property
    def cmake_architectures(self) -> tuple[str, ...]:
        *first, last = self.architectures
        return (*(f"{number}-real" for number in first), last)

    @property
    def nvcc_options(self) -> tuple[str, ...]:
        *first, last = self.architectures
        codes = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in first]
        codes.append(f"-gencode=arch=compute_{last},code=[compute_{last},sm_{last}]")
        return ("-std=c++17", "-O3", "-DNDEBUG", f"-I{self.samples}/Common", *codes)

    @property
    def toolkit(self) -> Path:
        return self.nvcc.parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A way to build the programs. ``configure`` is empty if there is nothing to configure."""

    directory: Path
    configure: tuple[object, ...]

    def reset(self) -> None:
        """Remove everything that was built, and configure again."""
        build = self.directory / "build"
        if self.configure:
            shutil.rmtree(build, ignore_errors=True)
            time_command(self.configure)
        else:
            time_command(["ninja", "-C", build, "-t", "clean"])

    @property
    def build(self) -> tuple[object, ...]:
        return ("ninja", "-C", self.directory / "build")


def make_kbuild_project(directory: Path, inputs: Inputs) -> Project:
    """Write a project that uses `kbuild_target_sources`, without verification as the peers."""
    architectures = " ".join(inputs.cmake_architectures)
    programs = [
        f"add_executable({source.name} {_list(source, source.others)})\n"
        f"target_include_directories({source.name} PRIVATE {inputs.samples}/Common)\n"
        f"kbuild_target_sources({source.name} PRIVATE {_list(source, [source.mixed])}\n"
        f"    BACKEND cuda ARCHITECTURES {architectures} VERIFY OFF)\n"
        for source in inputs.sources
    ]
    setup = "find_package(kbuild CONFIG REQUIRED)"
    installed = Path(sysconfig.get_path("scripts")) / "kbuild"
    kbuild = os.environ.get("KBUILD_EXECUTABLE", installed)
    options = (f"-Dkbuild_DIR={resources.cmake_directory()}", f"-DKBUILD_EXECUTABLE={kbuild}")
    head = HEAD.format(languages="CXX", setup=setup)
    return _write_cmake(directory, inputs, [head, *programs], options)


def make_cmake_project(directory: Path, inputs: Inputs) -> Project:
    """Write a project that uses CMake's CUDA language."""
    programs = [
        f"add_executable({source.name} {_list(source, [source.mixed, *source.others])})\n"
        f"target_include_directories({source.name} PRIVATE {inputs.samples}/Common)\n"
        f"target_include_directories({source.name} SYSTEM PRIVATE {inputs.toolkit}/include)\n"
        for source in inputs.sources
    ]
    architectures = ";".join(inputs.cmake_architectures)
    setup = f'set(CMAKE_CUDA_ARCHITECTURES "{architectures}")'
    head = HEAD.format(languages="CXX CUDA", setup=setup)
    options = (f"-DCMAKE_CUDA_COMPILER={inputs.nvcc}",)
    return _write_cmake(directory, inputs, [head, *programs], options)


def _write_cmake(
    directory: Path, inputs: Inputs, parts: Sequence[str], options: tuple[str, ...]
) -> Project:
    _copy_sources(directory, inputs)
    (directory / "CMakeLists.txt").write_text("\n".join(parts))
    configure = (
        *("cmake", "-S", directory, "-B", directory / "build", "-G", "Ninja"),
        *("-DCMAKE_BUILD_TYPE=Release", *options),
    )
    return Project(directory=directory, configure=configure)


def make_nvcc_project(directory: Path, inputs: Inputs) -> Project:
    """Write a project that compiles a source with one ``nvcc --threads 2``."""
    _copy_sources(directory, inputs)
    options = " ".join(inputs.nvcc_options)
    lines = [
        "rule compile",
        f"  command = {inputs.nvcc} -c --threads 2 {options} -MD -MF $out.d $in -o $out",
        "  depfile = $out.d\n  deps = gcc",
        f"rule link\n  command = {inputs.nvcc} $in -o $out",
    ]
    for source in inputs.sources:
        files = (source.mixed, *source.others)
        lines += [
            f"build {source.name}.{file}.o: compile ../{source.name}/{file}" for file in files
        ]
        objects = " ".join(f"{source.name}.{file}.o" for file in files)
        lines.append(f"build {source.name}.out: link {objects}")
    (directory / "build").mkdir()
    (directory / "build" / "build.ninja").write_text("\n".join(lines) + "\n")
    return Project(directory=directory, configure=())


def _copy_sources(directory: Path, inputs: Inputs) -> None:
    directory.mkdir()
    for source in inputs.sources:
        copy_source(source, inputs.samples, directory)


def _list(source: Source, files: Sequence[str]) -> str:
    return " ".join(f"{source.name}/{file}" for file in files)
