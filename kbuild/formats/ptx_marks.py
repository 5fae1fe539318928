"""Launch bounds in PTX text: the performance-tuning directives of one entry.

Source: "Parallel Thread Execution ISA", chapter "Performance-Tuning Directives".
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.errors import InputError
from kbuild.model import Marks

# What a mark stands for, and what was meant for other blocks (`.minnctapersm` is a number of
# blocks).  `.reqntid` is no bound but a promise that the kernel's own code may rely on.
_DIRECTIVE: Final = re.compile(rb"\.(?:maxntid|minnctapersm|maxnreg)\s+\d[\d\s,]*")


def mark_entry(ptx: bytes, kernel: str, marks: Marks) -> bytes:
    """``ptx`` with the directives of the entry ``kernel`` that ``marks`` say, and no others.

    Raises InputError where it defines no such entry.
    """
    entry = re.compile(
        rb"(?P<head>\.entry\s+" + re.escape(kernel.encode()) + rb"\s*(?:\([^()]*\))?)"
        rb'(?P<directives>(?:[^{};"]|"[^"\n]*"|;(?=[^{}]*\{))*)\{'
    )
    found = entry.search(ptx)
    if found is None:
        raise InputError(f"the PTX defines no kernel {kernel}")
    kept = _DIRECTIVE.sub(b"", found["directives"]).rstrip()
    directives = b"".join(
        b"\n.%s %d" % (name, value)
        for name, value in ((b"maxntid", marks.max_threads), (b"maxnreg", marks.max_registers))
        if value is not None
    )
    body = found.end() - 1
    return ptx[: found.start()] + found["head"] + kept + directives + b"\n" + ptx[body:]
