"""Texts in the read-only data of a host file, found in one pass over it."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends import list_readers
from kbuild.facts import Section
from kbuild.formats.buffer import release
from kbuild.formats.elf.file import SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE, Elf

# What unwinds the stack is read-only, too, and not small.
_UNWINDING: Final = (".eh_frame", ".gcc_except_table")
# Copied at a time; splitting so much takes some ten times its size.
_CHUNK: Final = 4 << 20
# So many names are looked for one by one.
_FEW: Final = 32
_MANGLED: Final = re.compile(rb"_Z[\w$.]*\0?")
# Real names are far shorter; parts overlap by so much at most.
_LONGEST: Final = 1 << 16


def find_texts(elf: Elf, texts: Iterable[bytes]) -> frozenset[bytes]:
    """Those of a few texts that the file's read-only data has."""
    missing = set(texts)
    found: set[bytes] = set()
    for chunk in _chunks(elf, missing):
        found.update(text for text in missing if text in chunk)
        missing -= found
    return frozenset(found)


def find_names(elf: Elf, names: Iterable[str]) -> frozenset[str]:
    """Those of the names that stand in the file's read-only data, NUL-terminated.

    What stands before a name does not matter: that may be a number, and linkers put texts
    that end alike in one place.
    """
    by_bytes = {name.encode("utf-8", "surrogatepass"): name for name in names if name}
    missing = {name for name in by_bytes if len(name) < _LONGEST}
    found: set[bytes] = set()
    # Each takes longer than the one before, and is for what that one leaves.
    for search in (_find_mangled, _find_whole, _find_ends):
        for chunk in _chunks(elf, missing):
            new = search(chunk, missing) if len(missing) > _FEW else _find_each(chunk, missing)
            found |= new
            missing -= new
    return frozenset(by_bytes[name] for name in found)


def _find_each(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Those of a few names that stand before a NUL."""
    return {name for name in names if name + b"\0" in chunk}


def _find_mangled(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Those of the names that start like C++ symbols, where nothing of that kind is before."""
    # It never goes back, so that no content can make it slow.
    return names.intersection(text[:-1] for text in _MANGLED.findall(chunk) if text[-1] == 0)


def _find_whole(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Those of the names that stand between two NULs."""
    return names.intersection(chunk.split(b"\0")[:-1])


def _find_ends(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Those of the names that a text before a NUL ends with."""
    texts = chunk.split(b"\0")[:-1]
    shortest = min(map(len, names))
    reversed_texts = sorted({text[::-1] for text in texts if len(text) > shortest})
    found: set[bytes] = set()
    for name in names:
        wanted = name[::-1]
        position = bisect.bisect_left(reversed_texts, wanted)
        if position < len(reversed_texts) and reversed_texts[position].startswith(wanted):
            found.add(name)
    return found


def _chunks(elf: Elf, wanted: set[bytes]) -> Iterator[bytes]:
    """The data in parts that overlap, so that each wanted text is whole in one of them."""
    overlap = max(map(len, wanted), default=0) + 1
    for section in elf.sections:
        if not _holds_texts(section):
            continue
        content = elf.view(section)
        for start in range(0, len(content), _CHUNK):
            if not wanted:
                return
            yield bytes(content[start : start + _CHUNK + overlap])
        if len(content) > _CHUNK:
            release(content)


def _holds_texts(section: Section) -> bool:
    """Whether it is read-only data of the host's, as far as that can be told."""
    flags = section.flags
    return (
        section.type == "SHT_PROGBITS"
        and bool(flags & SHF_ALLOC)
        and not flags & (SHF_WRITE | SHF_EXECINSTR)
        and not section.name.startswith(_UNWINDING)
        and all(reader.find_role(section.name) is None for reader in list_readers())
    )
