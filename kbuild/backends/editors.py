"""List the options with which clang reads CUDA sources for editors, such as clangd."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild import resources

# For the host, as CUDA, and without a toolkit, which clang possibly cannot read.
_LANGUAGE: Final = (
    *("-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib"),
    # Such as printf. One word, because CMake removes repeated ones.
    "SHELL:-Xclang -fcuda-allow-variadic-functions",
    "-Wno-unknown-cuda-version",
)


def list_cuda_options(standard: int, libraries: tuple[Path, ...]) -> tuple[str, ...]:
    """Return the options with which clang reads a source that can contain launches.

    Args:
        standard: The C++ standard of the source.
        libraries: The include directories of a toolkit. kbuild's headers come first.
    """
    native = resources.native_directory()
    return (
        *(*_LANGUAGE, f"-std=gnu++{standard}"),
        f"-I{native / 'device' / 'cpu'}",
        f"-isystem{native / 'include'}",
        *(f"-isystem{directory}" for directory in libraries),
        "--include=kbuild_editor.h",
    )
