"""Write two projects of equal size: kernels, and the same functions as plain C++."""

from __future__ import annotations

import sysconfig
from dataclasses import dataclass
from pathlib import Path

from kbuild import resources

FUNCTION = """
{qualifier} void {name}_{index}(int n, float a, const float* x, float* y)
{{
    {loop}
    {{
        float value = x[i];
        for (int k = 0; k < {index} + 2; ++k)
            value = a * value + static_cast<float>(k) / (1 + value * value);
        y[i] = value;
    }}
}}
"""
FUNCTIONS = 4
KERNEL_LOOP = "const int i = blockIdx.x * blockDim.x + threadIdx.x;\n    if (i < n)"
PLAIN_LOOP = "for (int i = 0; i < n; ++i)"

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(benchmark LANGUAGES CXX)
{library}
"""
KERNEL_LIBRARY = """
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(benchmark SHARED SOURCES {sources} ARCHITECTURES x86-64)
"""
PLAIN_LIBRARY = "add_library(benchmark SHARED {sources})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Project:
    """A project on disk. ``edit`` changes what one of its sources computes."""

    source: Path
    build: Path
    suffix: str

    @property
    def configure_command(self) -> list[object]:
        kbuild = Path(sysconfig.get_path("scripts")) / "kbuild"
        return [
            *("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja"),
            *("-DCMAKE_BUILD_TYPE=Release", f"-Dkbuild_DIR={resources.cmake_directory()}"),
            f"-DKBUILD_EXECUTABLE={kbuild}",
        ]

    @property
    def build_command(self) -> list[object]:
        return ["cmake", "--build", self.build]

    def edit(self, generation: int) -> None:
        path = self.source / f"file_0.{self.suffix}"
        text = path.read_text()
        path.write_text(text.replace("value = x[i];", f"value = x[i] + {generation};", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Language:
    """The differences between the two projects."""

    suffix: str
    qualifier: str
    loop: str
    library: str


KERNELS = Language(suffix="cu", qualifier="__global__", loop=KERNEL_LOOP, library=KERNEL_LIBRARY)
PLAIN = Language(suffix="cpp", qualifier="", loop=PLAIN_LOOP, library=PLAIN_LIBRARY)


def write_project(directory: Path, count: int, language: Language) -> Project:
    source = directory / "source"
    source.mkdir(parents=True)
    names = [f"file_{number}" for number in range(count)]
    for name in names:
        functions = [
            FUNCTION.format(
                qualifier=language.qualifier, name=name, index=index, loop=language.loop
            )
            for index in range(FUNCTIONS)
        ]
        (source / f"{name}.{language.suffix}").write_text("".join(functions))
    listed = " ".join(f"{name}.{language.suffix}" for name in names)
    (source / "CMakeLists.txt").write_text(
        PROJECT.format(library=language.library.format(sources=listed))
    )
    return Project(source=source, build=directory / "build", suffix=language.suffix)
