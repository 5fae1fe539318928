"""Search the read-only data of a host file for many texts at once."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.backends import list_readers
from kbuild.facts import Section
from kbuild.formats.buffer import release
from kbuild.formats.elf.constants import SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE
from kbuild.formats.elf.file import Elf

# Unwind tables are read-only and large, but contain no texts.
_UNWIND_SECTIONS: Final = (".eh_frame", ".gcc_except_table")
# Bytes to search at a time. Splitting a chunk takes about ten times its size in memory.
_CHUNK: Final = 4 << 20
# Up to this many names, searching for each of them is fastest.
_FEW: Final = 32
_MANGLED: Final = re.compile(rb"_Z[\w$.]*\0?")
# Chunks overlap by the length of the longest name, at most this much. Real names are shorter.
_LONGEST: Final = 1 << 16


def find_texts(elf: Elf, texts: Iterable[bytes]) -> frozenset[bytes]:
    """Return those of a few texts that are in the file's read-only data."""
    missing = set(texts)
    found: set[bytes] = set()
    for chunk in _chunks(elf, missing):
        found.update(text for text in missing if text in chunk)
        missing -= found
    return frozenset(found)


def find_names(elf: Elf, names: Iterable[str]) -> frozenset[str]:
    """Return the names that are in the file's read-only data and end with NUL.

    The byte before a name does not matter: it can belong to a number, and linkers merge texts
    that have the same end.
    """
    by_bytes = {name.encode("utf-8", "surrogatepass"): name for name in names if name}
    missing = {name for name in by_bytes if len(name) < _LONGEST}
    found: set[bytes] = set()
    # Each search is slower than the one before, and looks for what that one did not find.
    for search in (_find_mangled, _find_whole, _find_ends):
        for chunk in _chunks(elf, missing):
            new = search(chunk, missing) if len(missing) > _FEW else _find_each(chunk, missing)
            found |= new
            missing -= new
    return frozenset(by_bytes[name] for name in found)


def _find_each(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Find those of a few names that come before a NUL."""
    return {name for name in names if name + b"\0" in chunk}


def _find_mangled(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Find names that look like mangled symbols and do not continue another one."""
    # The pattern never backtracks, so no content can make it slow.
    return names.intersection(text[:-1] for text in _MANGLED.findall(chunk) if text[-1] == 0)


def _find_whole(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Find names between two NULs."""
    return names.intersection(chunk.split(b"\0")[:-1])


def _find_ends(chunk: bytes, names: set[bytes]) -> set[bytes]:
    """Find names that are the end of a NUL-terminated text."""
    texts = chunk.split(b"\0")[:-1]
    shortest = min(map(len, names))
    reversed_texts = sorted({text[::-1] for text in texts if len(text) > shortest})
    found: set[bytes] = set()
    for name in names:
        reversed_name = name[::-1]
        position = bisect.bisect_left(reversed_texts, reversed_name)
        if position < len(reversed_texts) and reversed_texts[position].startswith(reversed_name):
            found.add(name)
    return found


def _chunks(elf: Elf, missing: set[bytes]) -> Iterator[bytes]:
    """Yield overlapping parts of the data, so that one of them contains each missing text."""
    overlap = max(map(len, missing), default=0) + 1
    for section in elf.sections:
        if not _holds_texts(section):
            continue
        content = elf.view(section)
        for start in range(0, len(content), _CHUNK):
            if not missing:
                return
            yield bytes(content[start : start + _CHUNK + overlap])
        if len(content) > _CHUNK:
            release(content)


def _holds_texts(section: Section) -> bool:
    """Return whether the section looks like read-only data of the host program."""
    flags = section.flags
    return (
        section.type == "SHT_PROGBITS"
        and bool(flags & SHF_ALLOC)
        and not flags & (SHF_WRITE | SHF_EXECINSTR)
        and not section.name.startswith(_UNWIND_SECTIONS)
        and all(reader.find_role(section.name) is None for reader in list_readers())
    )
