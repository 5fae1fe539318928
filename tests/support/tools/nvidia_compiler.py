"""The CUDA compiler for tests, where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.find import find_toolchain, gather_hints


def find_nvcc() -> tuple[Path, str]:
    """The compiler, or why there is none."""
    try:
        return find_toolchain(cuda, gather_hints()).compiler, ""
    except ToolchainError as error:
        return Path(), str(error)


NVCC, NO_NVCC = find_nvcc()
needs_nvcc = pytest.mark.skipif(bool(NO_NVCC), reason=NO_NVCC or "nvcc is there")


def find_library(pattern: str) -> Path | None:
    """A library that comes with the compiler."""
    folders = [NVCC.resolve().parents[1] / name for name in ("lib", "lib64")] if not NO_NVCC else []
    return next((path for f in folders for path in sorted(f.glob(pattern))), None)


def runtime_library() -> Path:
    """The shared runtime that comes with the compiler."""
    found = find_library("libcudart.so.*")
    if found is None:
        pytest.skip(f"no libcudart.so beside {NVCC}")
    return found
