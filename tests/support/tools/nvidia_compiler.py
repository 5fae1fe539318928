"""The CUDA compiler for tests, if there is one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import pytest

from kbuild.backends import BACKENDS
from kbuild.errors import ConfigurationError
from support.tools.toolchains import find_compiler, find_problem, needs_backend

NVCC = find_compiler("cuda")
NO_NVCC = find_problem("cuda")
needs_nvcc = needs_backend("cuda")
# Options of nvcc for sources about whose files, and not about CUDA's headers, a test is. After the
# preprocessor, nvcc includes one more header for the host, whose guard the last option defines.
SMALL_CUDA_HEADERS: Final = (
    f"-I{Path(__file__).parent / 'small_cuda'}",
    *("-Xcompiler", "-D__COMMON_FUNCTIONS_H__"),
)


def find_library(pattern: str) -> Path | None:
    """Return a library that comes with the compiler, or None if there is no such file."""
    directories = (
        [NVCC.resolve().parents[1] / name for name in ("lib", "lib64")] if not NO_NVCC else []
    )
    return next((path for f in directories for path in sorted(f.glob(pattern))), None)


def runtime_library() -> Path:
    """Return the shared runtime that comes with the compiler. Skip the test without one."""
    found = find_library("libcudart.so.*")
    if found is None:
        pytest.skip(f"no libcudart.so beside {NVCC}")
    return found


def require_nvrtc() -> None:
    """Skip the running test unless NVRTC can be loaded."""
    if problem := _find_nvrtc_problem():
        pytest.skip(problem)


@cache
def _find_nvrtc_problem() -> str:
    compiler = BACKENDS["cuda"].rtc
    assert compiler is not None
    try:
        compiler.read_version()
    except (ConfigurationError, RuntimeError) as error:  # what cuda-bindings raises
        return f"NVRTC is missing (install kbuild[cuda]): {error}"
    return ""
