"""The code blocks of the documentation, and the comments that say how tests use them.

An HTML comment in front of a block says what a test does with it:

* ``<!-- file: NAME -->`` writes the block to a file in the page's directory;
* ``<!-- run -->`` runs a ``bash`` or ``python`` block there;
* ``<!-- output -->`` compares the block with what the last command printed: each of its lines
  has to be there, and ``...`` stands for any lines;
* ``<!-- unchecked: REASON -->`` says why no test can use the block.

Blocks without a comment are checked as far as their language allows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from markdown_it import MarkdownIt
from markdown_it.token import Token

from support.commands import ROOT

_COMMENT = re.compile(r"<!--\s*(file|run|output|unchecked)(?::\s*(.+?))?\s*-->", re.DOTALL)

Action: TypeAlias = Literal["file", "run", "output", "unchecked", ""]


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One code block, what a test does with it, and its language; indented blocks have none."""

    action: Action
    argument: str
    language: str
    text: str
    line: int


def list_pages() -> dict[str, Path]:
    """Return the README and all pages of the documentation by their names."""
    pages = (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")))
    return {page.relative_to(ROOT).as_posix(): page for page in pages}


def read_blocks(page: Path) -> tuple[Block, ...]:
    """Return the code blocks of a page, in its order. Directives of Sphinx are not among them."""
    return tuple(_read(MarkdownIt().parse(page.read_text(encoding="utf-8"))))


def _read(tokens: list[Token]) -> Iterator[Block]:
    for previous, block in zip([None, *tokens], tokens, strict=False):
        if block.type not in ("fence", "code_block") or block.info.startswith("{"):
            continue
        comment = previous.content.strip() if previous and previous.type == "html_block" else ""
        match = _COMMENT.fullmatch(comment)
        yield Block(
            action=match[1] if match else "",  # type: ignore[arg-type] # the pattern's words
            argument=(match[2] or "") if match else "",
            language=block.info.split()[0] if block.info else "",
            text=block.content,
            line=block.map[0] + 1 if block.map else 0,
        )
