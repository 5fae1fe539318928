"""Plain text for people: tables, sizes, plurals, and text that is safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP: Final = 1024
_WIDEST: Final = 120


def format_table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield rows with aligned columns, two spaces apart.

    The last column is not padded. A cell of more than 120 characters does not widen the
    column for the other rows.
    """
    cells = list(rows)
    columns = list(zip(*cells, strict=True))[:-1]
    widths = [min(max(map(len, column)), _WIDEST) for column in columns]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield ("  " + "  ".join([*padded, row[-1]])).rstrip()


def format_size(size: int) -> str:
    """Return a number of bytes in a unit that is easy to read, such as ``9.5 KiB``."""
    amount, unit = float(size), 0
    while amount >= _STEP and unit < len(_UNITS) - 1:
        amount /= _STEP
        unit += 1
    return f"{size} B" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def plural(count: int, word: str) -> str:
    """Return ``1 kernel`` or ``2 kernels``."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def join_lines(lines: Iterable[str]) -> str:
    """Return the lines as one text that is safe to print."""
    return make_printable("\n".join(lines)) + "\n"


def make_printable(text: str, kept: str = "\n") -> str:
    """Return text from a file with escape sequences for characters that are not printable.

    Such text could otherwise move a terminal's cursor. Control characters, surrogates, and
    noncharacters are not printable, so the result can be encoded in UTF-8 and used in XML.

    Args:
        text: Any text.
        kept: Unprintable characters that stay as they are.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c in kept else ascii(c)[1:-1] for c in text)


def make_one_line(text: str) -> str:
    r"""Return printable text in which a line break is written as ``\n``."""
    return make_printable(text).replace("\n", "\\n")
