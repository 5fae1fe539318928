"""The tools that build the files of the catalog, and which of them are missing.

``clang++-19`` is only the compiler. ``clang-19`` includes what it needs for HIP.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

from support.commands import run
from support.tools.nvidia_compiler import NO_NVCC, NVCC, find_library
from support.tools.toolchains import NEWER_CLANG, find_hipcc_problem, find_missing, find_problem

Tool: TypeAlias = Literal[
    "nvcc",
    "cudart",
    "clang",
    "clang++-19",
    "clang-19",
    "hipcc",
    "gold",
    "lld",
    "mold",
    "objcopy",
    "llvm-strip-19",
    "amdhip64",
    "hip lld",
]

# Tools whose name on PATH differs.
_PROGRAMS: Final[dict[Tool, str]] = {"gold": "ld.gold", "lld": "ld.lld"}
_SHARED_RUNTIME: Final = find_library("libcudart.so.*")
_STATIC_RUNTIME: Final = find_library("libcudart_static.a")


@cache
def missing(*tools: Tool) -> str:
    """Return why these tools cannot be used here, or an empty string if they can."""
    return "; ".join(reason for tool in dict.fromkeys(tools) if (reason := _missing(tool)))


def _missing(tool: Tool) -> str:
    if find := _PROBLEMS.get(tool):
        return find()
    return find_missing(_PROGRAMS.get(tool, tool))


def _find_cudart_problem() -> str:
    is_there = _SHARED_RUNTIME is not None and _STATIC_RUNTIME is not None
    return "" if is_there else "no CUDA runtime beside nvcc"


def _find_amdhip64_problem() -> str:
    if _is_linkable("amdhip64"):
        return ""
    return "no libamdhip64 where g++ looks (Debian: libamdhip64-dev)"


def _find_hip_lld_problem() -> str:
    if problem := find_hipcc_problem():
        return problem
    is_there = (find_hip_tools() / "lld").is_file()
    return "" if is_there else "no lld beside the clang that hipcc runs"


_PROBLEMS: Final[dict[Tool, Callable[[], str]]] = {
    "nvcc": lambda: NO_NVCC,
    "hipcc": find_hipcc_problem,
    "clang-19": lambda: find_problem("hip", NEWER_CLANG),
    "cudart": _find_cudart_problem,
    "amdhip64": _find_amdhip64_problem,
    "hip lld": _find_hip_lld_problem,
}


def _is_linkable(name: str) -> bool:
    """Return whether g++ finds a library for ``-l``."""
    found = run("g++", f"-print-file-name=lib{name}.so").stdout.strip()
    return Path(found).is_absolute()


@cache
def find_hip_tools() -> Path:
    """Return the directory of the clang that hipcc runs.

    Debian's hipcc has a matching linker there, but looks for `lld` on PATH first.
    """
    words = ("env", "HIP_PLATFORM=amd", "hipcc", "-print-resource-dir")
    # <root>/lib/clang/<version>
    return Path(run(*words).stdout.strip()).parents[2] / "bin"


def find_toolkit() -> Path:
    """Return the root of the CUDA toolkit."""
    return NVCC.resolve().parents[1]


def find_shared_runtime() -> Path:
    """Return the toolkit's libcudart.so. The caller must require the tool "cudart"."""
    assert _SHARED_RUNTIME is not None
    return _SHARED_RUNTIME


def find_static_runtime() -> Path:
    """Return the toolkit's libcudart_static.a. The caller must require the tool "cudart"."""
    assert _STATIC_RUNTIME is not None
    return _STATIC_RUNTIME
