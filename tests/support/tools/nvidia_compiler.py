"""The CUDA compiler for tests, if there is one."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from kbuild.backends import BACKENDS
from kbuild.errors import ConfigurationError
from support.tools.toolchains import find_compiler, find_problem, needs_backend

NVCC = find_compiler("cuda")
NO_NVCC = find_problem("cuda")
needs_nvcc = needs_backend("cuda")


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
