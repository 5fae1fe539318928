"""What nvcc and its tools print, and how to fix it."""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.cuda.toolchain import describe_mix
from kbuild.backends.interface.build import (
    OPTION_FIX,
    RELOCATABLE_FIX,
    UNDEFINED_FIX,
    CompilerLog,
    CompileUnit,
    LinkUnit,
)
from kbuild.backends.removed_names import find_removed_names

_PTX_FILE: Final = re.compile(r"^ptxas .*\.ptx, line", re.MULTILINE)


def read_log(log: str, unit: CompileUnit | LinkUnit | None = None) -> CompilerLog:
    """See `Builder`: without the figures of ``ptxas -v``, which the record contains.

    Errors in PTX name the source, and not an intermediate file of one architecture.
    """
    if isinstance(unit, CompileUnit):
        log = _PTX_FILE.sub(lambda _: f"ptxas: PTX of {unit.display_source}, line", log)
    figures = re.compile(r"ptxas info\s*:|\s+\d+ bytes (stack frame|cumulative)")
    kept = [line for line in log.splitlines(keepends=True) if not figures.match(line)]
    has_failed = "error" in log or "fatal" in log  # the words are rare in warnings
    return CompilerLog(text="".join(kept), fix=_find_fix(log, unit) if has_failed else "")


def _find_link_fix(log: str) -> str:
    if "Undefined reference" in log:
        return UNDEFINED_FIX
    if "Multiple definition" in log:
        return "make all but one of the definitions static, inline, or extern"
    if "elfLink linker library load error" in log:
        return (
            "-dlto needs nvvm/lib64/libnvvm.so in the toolkit, and wheels from PyPI do not have it "
            "there; use an installed toolkit (CUDA_PATH), or link without -dlto"
        )
    return ""


def _find_fix(log: str, unit: CompileUnit | LinkUnit | None) -> str:
    if isinstance(unit, LinkUnit) or "nvlink fatal" in log:
        return _find_link_fix(log)
    if "unsupported GNU version" in log or "unsupported clang version" in log:
        return (
            "nvcc does not support this compiler as its preprocessor. Name an older one with "
            "HOST_COMPILER (host code keeps its own), or pass -allow-unsupported-compiler in "
            "COMPILE_OPTIONS"
        )
    if isinstance(unit, CompileUnit) and "Unresolved extern" in log:
        return RELOCATABLE_FIX
    if "nvcc fatal" in log and "nknown option" in log:
        return OPTION_FIX
    if isinstance(unit, CompileUnit) and re.search(r"[Uu]nsupported \.version", log):
        return describe_mix(unit.source, "cicc writes a newer PTX than ptxas reads")
    return find_removed_names(log)
