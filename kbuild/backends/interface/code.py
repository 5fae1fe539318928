"""The seam of comparing code: what tells functions apart, and how their code is shown.

A module of this kind implements `CodeReader`; `kbuild.backends.readers` lists them.  Like
the rest of a backend it runs nothing: it names commands and reads what they print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from kbuild.backends.interface.build import ToolchainHints
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.model import Command, ImageKind

# The lines of each function by its symbol; a label is one of its own.
Listing: TypeAlias = Mapping[str, tuple[str, ...]]

# Stands in lines before a number that means nothing beyond its function: those of labels, and
# of virtual registers.  No tool prints it.
MARK: Final = "\0"
_LOCAL_LABEL: Final = re.compile(rf"L{MARK}\d+")
_LABEL_LINE: Final = re.compile(rf"L{MARK}\d+:")


class CodeReader(Protocol):
    """Every function is pure; ``data`` is an image's bytes."""

    @property
    def LANGUAGES(self) -> Mapping[ImageKind, str]:  # noqa: N802 - a module constant
        """What the code of an image of each kind is called; other kinds are not compared."""

    @property
    def LISTS_SELECTED(self) -> bool:  # noqa: N802 - a module constant
        """Whether the disassembler's time goes with the functions asked for, not the image."""

    def read_code(self, data: Buffer, kind: ImageKind) -> CodeFacts | None:
        """The digests of functions and data; InputError where the image is not sound."""

    def canonical_name(self, symbol: str) -> str:
        """The symbol without what differs between builds of one source.

        Two symbols of one image may have the same; for keys and texts, not for look-ups.
        """

    def read_text(self, data: Buffer, names: frozenset[str]) -> Listing | None:
        """The functions of an image that is text; None for machine code."""

    def disassemblers(self, hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:
        """What may disassemble the image, best first: paths, or names to find on PATH."""

    def disassembly_command(
        self, tool: Path, image: Path, data: Buffer, names: frozenset[str]
    ) -> Command:
        """How to have the functions printed; others may come along."""

    def read_disassembly(self, output: str, data: Buffer, names: frozenset[str]) -> Listing:
        """What the command printed, without noise: `docs/diff.md` says what that is."""


def drop_unused_labels(lines: Sequence[str]) -> Iterator[str]:
    """The lines without the labels that none of them refers to."""
    used = {
        label
        for line in lines
        if not _LABEL_LINE.fullmatch(line)
        for label in _LOCAL_LABEL.findall(line)
    }
    for line in lines:
        if not _LABEL_LINE.fullmatch(line) or line[:-1] in used:
            yield line
