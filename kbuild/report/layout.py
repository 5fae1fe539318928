"""Plain text for people: tables, sizes, plurals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP: Final = 1024
_WIDEST: Final = 120


def format_table(rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Rows with their columns aligned, two spaces apart; the last column is not padded.

    A cell of absurd length does not widen the other rows.
    """
    cells = list(rows)
    columns = list(zip(*cells, strict=True))[:-1]
    widths = [min(max(map(len, column)), _WIDEST) for column in columns]
    for row in cells:
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        yield ("  " + "  ".join([*padded, row[-1]])).rstrip()


def format_size(size: int) -> str:
    """A number of bytes in the unit that people read best: ``9.5 KiB``."""
    amount, unit = float(size), 0
    while amount >= _STEP and unit < len(_UNITS) - 1:
        amount /= _STEP
        unit += 1
    return f"{size} B" if unit == 0 else f"{amount:.1f} {_UNITS[unit]}"


def plural(count: int, word: str) -> str:
    """``1 kernel``, ``2 kernels``."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def join_lines(lines: Iterable[str]) -> str:
    """The lines as a text that is safe to show."""
    return show("\n".join(lines)) + "\n"


def show(text: str) -> str:
    """Text that came from files: what would move a cursor is shown, not sent.

    What is left is in every encoding of Unicode and in XML: controls, surrogates and
    noncharacters are not printable.
    """
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\n" else ascii(c)[1:-1] for c in text)


def show_line(text: str) -> str:
    """The same on one line."""
    return show(text).replace("\n", "\\n")
