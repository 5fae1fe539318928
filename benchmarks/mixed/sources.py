"""The mixed sources that are built, and how they are edited.

They are programs of NVIDIA's CUDA samples (BSD license), read from a checkout.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A program with one mixed source.

    Attributes:
        directory: The program's directory in the samples.
        mixed: The mixed source.
        others: The program's C++ sources.
        host_function: The text before the body of the host function that is edited.
        kernel_file: The file with the kernel that is edited.
        kernel: The text before the kernel's body.
    """

    directory: str
    mixed: str
    others: tuple[str, ...] = ()
    host_function: str = "int main("
    kernel_file: str
    kernel: str

    @property
    def name(self) -> str:
        return Path(self.directory).name


SOURCES = (
    Source(
        directory="Samples/0_Introduction/matrixMul",
        mixed="matrixMul.cu",
        kernel_file="matrixMul.cu",
        kernel="__global__ void MatrixMulCUDA(",
    ),
    Source(
        directory="Samples/3_CUDA_Features/globalToShmemAsyncCopy",
        mixed="globalToShmemAsyncCopy.cu",
        kernel_file="globalToShmemAsyncCopy.cu",
        kernel="__global__ void MatrixMulAsyncCopyLargeChunk(",
    ),
    Source(
        directory="Samples/3_CUDA_Features/jacobiCudaGraphs",
        mixed="jacobi.cu",
        others=("main.cpp",),
        host_function="double JacobiMethodGpu(",
        kernel_file="jacobi.cu",
        kernel="static __global__ void finalError(",
    ),
    Source(
        directory="Samples/2_Concepts_and_Techniques/segmentationTreeThrust",
        mixed="segmentationTree.cu",
        kernel_file="kernels.cuh",
        kernel="__global__ void addScalar(",
    ),
)


def copy_source(source: Source, samples: Path, directory: Path) -> None:
    """Copy the program's sources into ``directory``, in a directory with its name."""
    ignored = shutil.ignore_patterns("data", "doc")
    shutil.copytree(samples / source.directory, directory / source.name, ignore=ignored)


def edit_host(source: Source, samples: Path, directory: Path, generation: int) -> None:
    """Add a line to the host function's body."""
    text = (samples / source.directory / source.mixed).read_text()
    line = f"    volatile int edited = {generation};\n    (void)edited;\n"
    edited = _insert(text, source.host_function, line)
    (directory / source.name / source.mixed).write_text(edited)


def edit_kernel(source: Source, samples: Path, directory: Path, generation: int) -> None:
    """Add a line that changes the kernel's machine code."""
    text = (samples / source.directory / source.kernel_file).read_text()
    line = f"    if (clock64() == {generation}) __trap();\n"
    edited = _insert(text, source.kernel, line)
    (directory / source.name / source.kernel_file).write_text(edited)


def _insert(text: str, anchor: str, line: str) -> str:
    start = text.index("{\n", text.index(anchor)) + 2
    return text[:start] + line + text[start:]
