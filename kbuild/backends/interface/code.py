"""The ``code`` capability: tell functions of device images apart, and show their code.

Like a builder, a code reader runs nothing. It names commands and reads what they print.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, Protocol, TypeAlias

from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.model import Command, ImageKind

# The lines of each function, by its symbol. A label is a separate line.
Listing: TypeAlias = Mapping[str, tuple[str, ...]]

# Precedes a number that means nothing outside its function, such as a label's or a virtual
# register's. No tool prints this character.
MARK: Final = "\0"
_LOCAL_LABEL: Final = re.compile(rf"L{MARK}\d+")
_LABEL_LINE: Final = re.compile(rf"L{MARK}\d+:")


class CodeReader(Protocol):
    """The functions of a backend's ``code`` module, which are pure. ``data`` is an image."""

    @property
    def LANGUAGES(self) -> Mapping[ImageKind, str]:  # noqa: N802 - a module constant
        """The name of the code of each kind of image. Other kinds cannot be compared."""

    @property
    def LISTS_SELECTED(self) -> bool:  # noqa: N802 - a module constant
        """Whether the disassembler's run time depends on the selected functions only."""

    def read_code(self, data: Buffer, kind: ImageKind) -> CodeFacts | None:
        """Return the digests of functions and data; raise InputError for a malformed image."""

    def canonical_name(self, symbol: str) -> str:
        """Return the symbol without the parts that differ between builds of one source.

        Two symbols of an image can have the same canonical name. Use it as a key or in text,
        not to look up a symbol.
        """

    def read_text(self, data: Buffer, names: frozenset[str]) -> Listing | None:
        """Return the functions of an image that is text; None for machine code."""

    def disassemblers(self, hints: ToolchainHints, data: Buffer) -> tuple[str, ...]:
        """Return the programs that can disassemble the image, best first.

        Each one is a path, or a name to find on PATH.
        """

    def disassembly_command(
        self, tool: Path, image: Path, data: Buffer, names: frozenset[str]
    ) -> Command:
        """Return the command that prints at least the named functions."""

    def read_disassembly(self, output: str, data: Buffer, names: frozenset[str]) -> Listing:
        """Read the output of the command, without noise.

        See `docs/explanation/build-comparison.md`.
        """


def hide_name(text: str, name: str) -> str:
    """Return an instruction with ``@`` for the name of its own function.

    Other words that contain the name, such as ``%rax`` in a kernel ``a``, stay as they are.
    """
    if not name or name not in text:
        return text
    return re.sub(rf"(?<![\w%]){re.escape(name)}(?!\w)", "@", text)


def drop_unused_labels(lines: Sequence[str]) -> Iterator[str]:
    """Yield the lines without the labels that no other line refers to."""
    used = {
        label
        for line in lines
        if not _LABEL_LINE.fullmatch(line)
        for label in _LOCAL_LABEL.findall(line)
    }
    for line in lines:
        if not _LABEL_LINE.fullmatch(line) or line[:-1] in used:
            yield line
