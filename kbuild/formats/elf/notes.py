"""The notes in an ELF section.

Source: System V ABI (gABI 4.1), "Note Section". Both parts of a note are aligned to 4 bytes in
every file that device compilers write, and in kbuild's own notes.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, NamedTuple

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, align_up

# name size, description size, type
_NOTE: Final = struct.Struct("<III")
_ALIGNMENT: Final = 4


class Note(NamedTuple):
    """One note. ``owner`` includes its NUL; ``description`` are the positions of its bytes.

    ``end`` is the position at which the next note starts.
    """

    owner: bytes
    type: int
    description: range
    end: int


def read_note(content: Buffer, start: int) -> Note:
    """Read the note at ``start``.

    Raises:
        InputError: The note is cut off.
    """
    if start + _NOTE.size > len(content):
        raise InputError("the note is cut off in its header")
    name_size, size, kind = _NOTE.unpack_from(content, start)
    name = start + _NOTE.size
    description = name + align_up(name_size, _ALIGNMENT)
    end = description + size
    if end > len(content):
        raise InputError(
            f"the note ends at byte {end}, but its section ends at byte {len(content)}"
        )
    owner = bytes(content[name : name + name_size])
    return Note(owner, kind, range(description, end), description + align_up(size, _ALIGNMENT))


def iterate_notes(content: memoryview, owner: bytes) -> Iterator[tuple[int, memoryview]]:
    """Yield the type and the description of each note of ``owner``.

    Args:
        content: The bytes of the section.
        owner: The name of the owner, with its NUL.

    Raises:
        InputError: A note is cut off.
    """
    position = 0
    while position < len(content):
        note = read_note(content, position)
        if note.owner == owner:
            yield note.type, content[note.description.start : note.description.stop]
        position = note.end
