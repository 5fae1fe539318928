"""The tools that the catalogue's files are made with, and what of them is not there."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from typing import Final, Literal, TypeAlias

from support.commands import run
from support.tools.nvidia_compiler import NO_NVCC, NVCC, find_library

Tool: TypeAlias = Literal[
    "nvcc",
    "cudart",
    "clang",
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

# What has another name on PATH than here.
_PROGRAMS: Final[dict[Tool, str]] = {"gold": "ld.gold", "lld": "ld.lld"}
_SHARED_RUNTIME: Final = find_library("libcudart.so.*")
_STATIC_RUNTIME: Final = find_library("libcudart_static.a")


@cache
def missing(*tools: Tool) -> str:
    """Why something that takes these tools cannot be made here; empty where it can."""
    return "; ".join(reason for tool in dict.fromkeys(tools) if (reason := _missing(tool)))


def _missing(tool: Tool) -> str:
    if tool == "nvcc":
        return NO_NVCC
    if tool == "cudart":
        is_there = _SHARED_RUNTIME is not None and _STATIC_RUNTIME is not None
        return "" if is_there else "no CUDA runtime beside nvcc"
    if tool == "amdhip64":
        return "" if _is_linkable("amdhip64") else "no libamdhip64 where g++ looks"
    if tool == "hip lld":
        is_there = bool(shutil.which("hipcc")) and (find_hip_tools() / "lld").is_file()
        return "" if is_there else "no lld beside the clang that hipcc runs"
    program = _PROGRAMS.get(tool, tool)
    return "" if shutil.which(program) else f"no {program} on PATH"


def _is_linkable(name: str) -> bool:
    """Whether g++ finds a library for ``-l``."""
    found = run("g++", f"-print-file-name=lib{name}.so").stdout.strip()
    return Path(found).is_absolute()


@cache
def find_hip_tools() -> Path:
    """The folder of the clang that hipcc runs.

    Debian's has the linker of its own version there, and looks for `lld` on PATH first.
    """
    words = ("env", "HIP_PLATFORM=amd", "hipcc", "-print-resource-dir")
    # <root>/lib/clang/<version>
    return Path(run(*words).stdout.strip()).parents[2] / "bin"


def find_toolkit() -> Path:
    """The root of the CUDA toolkit."""
    return NVCC.resolve().parents[1]


def find_shared_runtime() -> Path:
    """The toolkit's libcudart.so; ask for the tool "cudart" before."""
    assert _SHARED_RUNTIME is not None
    return _SHARED_RUNTIME


def find_static_runtime() -> Path:
    """The toolkit's libcudart_static.a; likewise."""
    assert _STATIC_RUNTIME is not None
    return _STATIC_RUNTIME
