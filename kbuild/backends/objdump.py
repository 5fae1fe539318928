"""Read the output of GNU's and LLVM's objdump: functions, instructions, and targets."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from kbuild.formats.elf.code import ElfCode, Span
from kbuild.formats.elf.constants import SHF_ALLOC, STT_FUNC, STT_OBJECT
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader

_FUNCTION: Final = re.compile(r"([0-9a-f]+) <(.*)>:$")


class Function(NamedTuple):
    """A function's lines as printed, without blank ones."""

    name: str
    lines: tuple[str, ...]


def iterate_functions(output: str, names: frozenset[str]) -> Iterator[Function]:
    """Yield the requested functions in order."""
    name, lines = "", list[str]()
    for line in output.splitlines():
        match = _FUNCTION.match(line)
        if match or line.startswith("Disassembly of "):
            if name in names:
                yield Function(name, tuple(lines))
            name, lines = match[2] if match else "", []
        elif line.strip():
            lines.append(line)
    if name in names:
        yield Function(name, tuple(lines))


class Places:
    """The symbols and data at the addresses of an image."""

    def __init__(self, elf: DeviceElf) -> None:
        self._elf = elf
        self._code = ElfCode(elf)
        spans = [span for kind in (STT_FUNC, STT_OBJECT) for span in self._code.spans(kind)]
        placed = sorted((span.section.address + span.start, span) for span in spans)
        self._starts = [start for start, _ in placed]
        self._spans = [span for _, span in placed]

    def span_at(self, address: int) -> Span | None:
        """Return the function or object that contains the address."""
        index = bisect.bisect_right(self._starts, address) - 1
        if index < 0 or address >= self._starts[index] + self._spans[index].size:
            return None
        return self._spans[index]

    def section_at(self, address: int) -> SectionHeader | None:
        """Return the section that contains the address."""
        for section in self._elf.sections:
            if section.flags & SHF_ALLOC and 0 <= address - section.address < section.size:
                return section
        return None

    def describe(self, address: int) -> str:
        """Return a name for the address that does not depend on what precedes it in the image."""
        span = self.span_at(address)
        if span:
            distance = address - span.section.address - span.start
            return f"{span.name}+{distance:#x}" if distance else span.name
        section = self.section_at(address)
        return self._elf.section_name(section) if section else "?"

    def read(self, address: int, size: int) -> bytes:
        """Return the bytes at the address; empty bytes if they are not all in the file."""
        section = self.section_at(address)
        if section is None:
            return b""
        start = address - section.address
        content = self._code.content(section)
        return bytes(content[start : start + size]) if start + size <= len(content) else b""

    def read_text(self, address: int, most: int = 256) -> str | None:
        """Return the NUL-terminated printable text at the address; None if there is no text."""
        section = self.section_at(address)
        if section is None:
            return None
        start = address - section.address
        raw, end, _ = bytes(self._code.content(section)[start : start + most]).partition(b"\0")
        text = raw.decode("ascii", "replace")
        return text if end and raw and text.isprintable() and text.isascii() else None
