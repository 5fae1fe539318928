"""Pieces of Markdown that several generators write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

_CODE: Final = re.compile(r"(`[^`\n]*`)")
_SPECIAL: Final = re.compile(r"([\\*_<>\[\]])")


def escape(text: str) -> str:
    """Escape prose, so that only its `code` keeps a meaning."""
    parts = _CODE.split(text)
    return "".join(
        part if number % 2 else _SPECIAL.sub(r"\\\1", part) for number, part in enumerate(parts)
    )


def format_table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Format a table; the cells are Markdown already."""
    lines = [_row(header), _row(["---"] * len(header)), *map(_row, rows)]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |"


def fence(language: str, text: str) -> str:
    """Wrap text in a code block."""
    return f"```{language}\n{text.strip(chr(10))}\n```\n"


def read_prose(body: str) -> dict[str, str]:
    """Read the ``key: text`` lines of a placeholder; an indented line continues the text."""
    prose: dict[str, str] = {}
    key = ""
    for line in body.splitlines():
        if not line.strip():
            continue
        if line[0].isspace() and key:
            prose[key] += f" {line.strip()}"
            continue
        key, colon, text = line.partition(":")
        if not colon:
            raise ValueError(f"expected 'key: text' in a placeholder, got {line!r}")
        prose[key] = text.strip()
    return prose
