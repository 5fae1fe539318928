"""Plain text for people: tables, sizes, plurals, and text that is safe to print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kbuild.report.styles import Line, Span, paint

_UNITS: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP: Final = 1024
_WIDEST: Final = 120


def format_table(rows: Iterable[Sequence[str]]) -> Iterator[Line]:
    """Yield rows with aligned columns, two spaces apart. The first row is a heading.

    The last column is not padded. A cell of more than 120 characters does not widen the
    column for the other rows.
    """
    cells = list(rows)
    widths = [0] * (len(cells[0]) - 1)
    for row in cells:
        widths = [max(width, len(cell)) for width, cell in zip(widths, row, strict=False)]
    widths = [min(width, _WIDEST) for width in widths]
    for number, row in enumerate(cells):
        padded = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        line = ("  " + "  ".join([*padded, row[-1]])).rstrip()
        yield line if number else Span(line, "heading")


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


def join_lines(lines: Iterable[Line], *, has_colors: bool = False, kept: str = "\n") -> str:
    """Return the lines as one text that is safe to print.

    Args:
        lines: The lines.
        has_colors: Whether the text shows the styles of the lines.
        kept: Unprintable characters that stay as they are.
    """
    return "".join(print_lines(lines, has_colors=has_colors, kept=kept))


def print_lines(
    lines: Iterable[Line], *, has_colors: bool = False, kept: str = "\n"
) -> Iterator[str]:
    """Yield each line as `join_lines` would return it, for texts that are too large to join."""
    for line in lines:
        yield f"{_print_line(line, kept, has_colors=has_colors)}\n"


def _print_line(line: Line, kept: str, *, has_colors: bool) -> str:
    if isinstance(line, str):
        return make_printable(line, kept)
    if isinstance(line, tuple):
        return "".join(_print_line(part, kept, has_colors=has_colors) for part in line)
    text = make_printable(line.text, kept)
    return paint(text, line.style) if has_colors else text


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
