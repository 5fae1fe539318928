"""Read which machine a compiler is for from the triple that it prints (``-dumpmachine``)."""

from __future__ import annotations

import os
import re
from typing import Final

# Source: "Target Triplet" in the manuals of gcc and clang.
_TRIPLE: Final = re.compile(r"(\w+)(?:-\w[\w.]*){1,3}")


def read_machine(triple: str) -> str | None:
    """Return the machine that a triple names, as the kernel names it.

    Returns:
        None if it is this machine, or the text is not a triple, as of a wrapper that prints the
        same for all options.
    """
    match = _TRIPLE.fullmatch(triple.strip())
    machine = match[1] if match else None
    return None if machine == os.uname().machine else machine
