"""Finds the files and the commands that the pages of the documentation tell readers to use.

An HTML comment in front of a code block says what a test does with it:

* ``<!-- file: NAME -->`` writes the block to a file in the page's directory;
* ``<!-- run -->`` runs a ``bash`` or ``python`` block there;
* ``<!-- run: after NAME -->`` does so in a directory that starts as page NAME left its own;
* ``<!-- output -->`` compares the block with what the last command printed: each of its lines
  has to be there, and ``...`` stands for any lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[3]
_COMMENT = re.compile(r"<!--\s*(file|run|output)(?::\s*(.+?))?\s*-->")

Action: TypeAlias = Literal["file", "run", "output"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One code block that a test uses, and what it does with it."""

    action: Action
    argument: str
    language: str
    text: str
    line: int


def list_pages() -> tuple[Path, ...]:
    """Return the README and all pages of the documentation."""
    return (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))


def read_blocks(page: Path) -> tuple[Block, ...]:
    """Return the marked code blocks of a page, in its order."""
    return tuple(_read(page.read_text(encoding="utf-8")))


def _read(text: str) -> Iterator[Block]:
    tokens = MarkdownIt().parse(text)
    for comment, block in pairwise(tokens):
        if comment.type != "html_block" or block.type != "fence":
            continue
        match = _COMMENT.fullmatch(comment.content.strip())
        if match:
            yield Block(
                action=match[1],  # type: ignore[arg-type] # the pattern allows no other word
                argument=match[2] or "",
                language=block.info.split()[0] if block.info else "",
                text=block.content,
                line=block.map[0] + 1 if block.map else 0,
            )
