"""Find the parts that differ: sections of ELF files, or the whole of other files."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from kbuild.diff.reproducible.model import Cause, PartDifference
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.elf.file import Elf

_WHOLE: Final = "(content)"
_REST: Final = "(headers and padding)"
_DEBUG: Final = (".debug_", ".nv_debug", ".rela.debug", ".rel.debug", ".rel.nv_debug")
_DIGESTS: Final = (".note.gnu.build-id", ".gnu_debuglink")
# nvcc derives the number of its copies of PTX from their content.
_NUMBERED: Final = re.compile(r"(?<=^\.nv_debug_ptx_txt)\.\d+$")
_CHUNK: Final = 1 << 16
# The bytes of a difference to show: of text, in both directions; otherwise, after it.
_TEXT: Final = 160
_BYTES: Final = 16
_PRINTABLE: Final = re.compile(rb"[\x20-\x7e]+")
_SHORTEST: Final = 4


def compare_parts(first: Buffer, second: Buffer) -> tuple[PartDifference, ...]:
    """Return the sections that differ in two ELF files, or the first difference of other files."""
    left, right = _list_parts(first), _list_parts(second)
    found = tuple(
        _describe(name, left.get(key), right.get(key))
        for key in dict.fromkeys((*left, *right))
        for name in (key[0],)
        if left.get(key) != right.get(key)
    )
    if found or bytes(first) == bytes(second):
        return found
    return (_describe(_REST, memoryview(first), memoryview(second)),)


def _list_parts(content: Buffer) -> dict[tuple[str, int], memoryview]:
    """Return the sections by name and by the number of earlier sections with that name."""
    if bytes(content[: len(ELF_MAGIC)]) != ELF_MAGIC:
        return {(_WHOLE, 0): memoryview(content)}
    try:
        elf = Elf(content)
        seen: Counter[str] = Counter()
        parts: dict[tuple[str, int], memoryview] = {}
        for section in elf.sections:
            if section.size and section.type != "SHT_NOBITS":
                name = _NUMBERED.sub("", section.name)
                parts[name, seen[name]] = elf.view(section)
                seen[name] += 1
    except InputError:
        return {(_WHOLE, 0): memoryview(content)}
    return parts


def _describe(name: str, first: memoryview | None, second: memoryview | None) -> PartDifference:
    left: memoryview = memoryview(b"") if first is None else first
    right: memoryview = memoryview(b"") if second is None else second
    offset = _find_difference(left, right)
    shown = _excerpt(left, offset), _excerpt(right, offset)
    return PartDifference(
        name=name,
        first_size=None if first is None else len(first),
        second_size=None if second is None else len(second),
        offset=offset,
        first=shown[0],
        second=shown[1],
        cause=_guess_cause(name, shown),
    )


def _find_difference(first: memoryview, second: memoryview) -> int:
    shorter = min(len(first), len(second))
    for start in range(0, shorter, _CHUNK):
        left, right = (bytes(side[start : start + _CHUNK]) for side in (first, second))
        if left != right:
            pairs = enumerate(zip(left, right, strict=False))
            place = next((i for i, (a, b) in pairs if a != b), None)
            return start + (min(len(left), len(right)) if place is None else place)
    return shorter


def _excerpt(content: memoryview, offset: int) -> str:
    """Return the printable text around ``offset``, or else the bytes that follow it."""
    start = max(0, offset - _TEXT)
    window = bytes(content[start : offset + _TEXT])
    for match in _PRINTABLE.finditer(window):
        covers = match.start() <= offset - start < match.end()
        if covers and match.end() - match.start() >= _SHORTEST:
            return match[0].decode("ascii")
    return bytes(content[offset : offset + _BYTES]).hex(" ")


def _guess_cause(name: str, shown: tuple[str, str]) -> Cause | None:
    if any(text.count("/") > 1 for text in shown):
        return "path"
    if name.startswith(_DEBUG):
        return "debug-information"
    return "digest" if name in _DIGESTS else None
