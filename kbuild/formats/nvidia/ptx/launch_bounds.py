"""Change the launch bounds of a kernel in PTX text.

Source: "Parallel Thread Execution ISA", chapter "Performance-Tuning Directives".
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.errors import InputError
from kbuild.model import HighWaterMarks

# The text between the parameters of an entry and its body. Only pragmas contain a semicolon.
_DIRECTIVES: Final = re.compile(
    rb'\s*(?:\([^()]*\))?(?P<directives>(?:[^{};"]|"[^"\n]*"|(?<=");)*)(?=\{)'
)
# The directives that the new bounds replace, and `.minnctapersm`, which was chosen for blocks of
# another size. `.reqntid` stays, because it is not a bound but a guarantee that the code of the
# kernel can rely on.
_DIRECTIVE: Final = re.compile(rb"\.(?:maxntid|minnctapersm|maxnreg)\s+\d[\d\s,]*")


def set_launch_bounds(ptx: bytes, kernel: str, marks: HighWaterMarks) -> bytes:
    """Replace the launch bounds of one kernel.

    Args:
        ptx: The PTX text.
        kernel: The symbol of the kernel.
        marks: The limits of threads and registers; None leaves a limit out.

    Returns:
        The changed text.

    Raises:
        InputError: The text does not define the kernel.
    """
    entry = re.compile(rb"\.entry\s+" + re.escape(kernel.encode()) + rb"(?![\w$])")
    heads = (m for m in entry.finditer(ptx) if not _is_comment(ptx, m.start()))
    found = next(filter(None, (_DIRECTIVES.match(ptx, head.end()) for head in heads)), None)
    if found is None:
        raise InputError(f"the PTX does not define kernel '{kernel}'")
    kept = _DIRECTIVE.sub(b"", found["directives"]).rstrip()
    directives = b"".join(
        b"\n.%s %d" % (name, value)
        for name, value in ((b"maxntid", marks.max_threads), (b"maxnreg", marks.max_registers))
        if value is not None
    )
    return b"".join((ptx[: found.start("directives")], kept, directives, b"\n", ptx[found.end() :]))


def _is_comment(ptx: bytes, position: int) -> bool:
    """Return whether ``position`` is in a line comment, which can quote a source line."""
    return b"//" in ptx[ptx.rfind(b"\n", 0, position) + 1 : position]
