"""``.note.kbuild``: the ELF notes in which an artifact describes itself.

The description is ``struct kbuild_note_header`` of ``kbuild/module.h`` and then the
record as JSON.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.model import Problem, TargetRecord
from kbuild.records import RECORD_SCHEMA, load

SECTION: Final = ".note.kbuild"
OWNER: Final = b"kbuild\0"
TYPE: Final = 1
VERSION: Final = 1

# name size, description size, type
_NOTE: Final = struct.Struct("<III")
# version, header size, distances to descriptor, constructor and unregister, record size
_HEADER: Final = struct.Struct("<IIqqqQ")
_DESCRIPTOR: Final = 8
_CONSTRUCTOR: Final = 16
_UNREGISTER: Final = 24
_ALIGNMENT: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One target's note.

    ``descriptor``, ``constructor`` and ``unregister`` are the offsets in the section of
    the fields that hold the distances, because a distance counts from its own field and
    is a relocation in an object file.
    """

    record: TargetRecord
    descriptor: int
    constructor: int
    unregister: int


def read_notes(content: bytes) -> tuple[tuple[Note, ...], tuple[Problem, ...]]:
    """Every kbuild note in a section's bytes, and what could not be read.  Never raises."""
    notes: list[Note] = []
    problems: list[Problem] = []
    position = 0
    while position < len(content):
        start = position
        try:
            name, kind, description, position = _read_note(content, start)
            if name == OWNER and kind == TYPE:
                notes.append(_read_description(content, description))
        except InputError as error:
            where = f"{SECTION}, byte {start:#x}"
            problems.append(Problem(where=where, message=str(error), offset=start))
            if position == start:
                break
    return tuple(notes), tuple(problems)


def _read_note(content: bytes, start: int) -> tuple[bytes, int, range, int]:
    """Name, type and description of the note at ``start``, and where the next one begins."""
    if start + _NOTE.size > len(content):
        raise InputError("the note is cut off in its header")
    name_size, size, kind = _NOTE.unpack_from(content, start)
    name_start = start + _NOTE.size
    description = name_start + _align(name_size)
    if description + size > len(content):
        raise InputError(
            f"the note ends at byte {description + size}, its section at {len(content)}"
        )
    name = content[name_start : name_start + name_size]
    following = min(description + _align(size), len(content))
    return name, kind, range(description, description + size), following


def _read_description(content: bytes, description: range) -> Note:
    start = description.start
    if len(description) < _HEADER.size:
        raise InputError(f"a note of {len(description)} bytes has no room for its header")
    version, header_size, *_, record_size = _HEADER.unpack_from(content, start)
    if version != VERSION:
        raise InputError(f"note version {version} is not supported, only {VERSION}")
    if header_size < _HEADER.size or header_size + record_size > len(description):
        raise InputError(
            f"a header of {header_size} and a record of {record_size} bytes do not fit "
            f"in a note of {len(description)}"
        )
    record = content[start + header_size : start + header_size + record_size]
    return Note(
        record=_read_record(record),
        descriptor=start + _DESCRIPTOR,
        constructor=start + _CONSTRUCTOR,
        unregister=start + _UNREGISTER,
    )


def _read_record(content: bytes) -> TargetRecord:
    try:
        return load(RECORD_SCHEMA, TargetRecord, content, "the record")
    except RecursionError as error:
        raise InputError("the record: nested too deeply") from error


def _align(size: int) -> int:
    return -size % _ALIGNMENT + size
