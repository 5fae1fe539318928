"""The tools that the catalogue's files are made with, and what of them is not there."""

from __future__ import annotations

import shutil
from functools import cache
from typing import Final, Literal, TypeAlias

from nvidia_compiler import NO_NVCC, NVCC

Tool: TypeAlias = Literal["nvcc", "clang", "clang-19", "hipcc", "gold", "lld", "objcopy"]

# What has another name on PATH than here.
_PROGRAMS: Final[dict[Tool, str]] = {"gold": "ld.gold", "lld": "ld.lld"}


@cache
def missing(*tools: Tool) -> str:
    """Why something that takes these tools cannot be made here; empty where it can."""
    return "; ".join(reason for tool in tools if (reason := _missing(tool)))


def _missing(tool: Tool) -> str:
    if tool == "nvcc":
        return NO_NVCC
    program = _PROGRAMS.get(tool, tool)
    return "" if shutil.which(program) else f"no {program} on PATH"


def toolkit_bin() -> str:
    """The folder of the CUDA toolkit's programs."""
    return str(NVCC.resolve().parent)
