"""Launch bounds in PTX text: the performance-tuning directives of one entry.

Source: "Parallel Thread Execution ISA", chapter "Performance-Tuning Directives".
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.errors import InputError
from kbuild.model import HighWaterMarks

# What stands between an entry's parameters and its body; only a pragma's end is a semicolon.
_DIRECTIVES: Final = re.compile(
    rb'\s*(?:\([^()]*\))?(?P<directives>(?:[^{};"]|"[^"\n]*"|(?<=");)*)(?=\{)'
)
# What a mark stands for, and what was meant for other blocks (`.minnctapersm` is a number of
# blocks).  `.reqntid` is no bound but a promise that the kernel's own code may rely on.
_DIRECTIVE: Final = re.compile(rb"\.(?:maxntid|minnctapersm|maxnreg)\s+\d[\d\s,]*")


def mark_entry(ptx: bytes, kernel: str, marks: HighWaterMarks) -> bytes:
    """``ptx`` with the directives of the entry ``kernel`` that ``marks`` say, and no others.

    Raises InputError where it defines no such entry.
    """
    entry = re.compile(rb"\.entry\s+" + re.escape(kernel.encode()) + rb"(?![\w$])")
    heads = (m for m in entry.finditer(ptx) if not _is_comment(ptx, m.start()))
    found = next(filter(None, (_DIRECTIVES.match(ptx, head.end()) for head in heads)), None)
    if found is None:
        raise InputError(f"the PTX defines no kernel {kernel}")
    kept = _DIRECTIVE.sub(b"", found["directives"]).rstrip()
    directives = b"".join(
        b"\n.%s %d" % (name, value)
        for name, value in ((b"maxntid", marks.max_threads), (b"maxnreg", marks.max_registers))
        if value is not None
    )
    return b"".join((ptx[: found.start("directives")], kept, directives, b"\n", ptx[found.end() :]))


def _is_comment(ptx: bytes, position: int) -> bool:
    """Whether a line comment began before: source lines may stand in some."""
    return b"//" in ptx[ptx.rfind(b"\n", 0, position) + 1 : position]
