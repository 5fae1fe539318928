"""The notes in an ELF section, whoever owns them.

Source: System V ABI (gABI 4.1), "Note Section"; the alignment of both parts is 4 bytes in
every file that compilers for devices write.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError

# name size, description size, type
_NOTE: Final = struct.Struct("<III")
_ALIGNMENT: Final = 4


def iterate_notes(content: memoryview, owner: bytes) -> Iterator[tuple[int, memoryview]]:
    """Type and description of each note of ``owner`` (with its NUL); InputError where cut off."""
    position = 0
    while position < len(content):
        if position + _NOTE.size > len(content):
            raise InputError("a note is cut off in its header")
        name_size, size, kind = _NOTE.unpack_from(content, position)
        name = position + _NOTE.size
        body = name + _align(name_size)
        if body + size > len(content):
            raise InputError(f"a note ends at byte {body + size}, its section at {len(content)}")
        if bytes(content[name : name + name_size]) == owner:
            yield kind, content[body : body + size]
        position = body + _align(size)


def _align(size: int) -> int:
    return -size % _ALIGNMENT + size
