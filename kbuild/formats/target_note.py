"""The ELF notes of ``.note.kbuild``, in which an artifact describes its kernel targets.

The description of a note is a ``struct kbuild_note_header`` (``kbuild/module.h``), followed by
the record of the target as JSON.
"""

from __future__ import annotations

import struct
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.elf.notes import read_note
from kbuild.model import Problem, TargetRecord
from kbuild.records import OLDER_RECORD_SCHEMAS, RECORD_SCHEMA, dump, load
from kbuild.values import dataclass

SECTION: Final = ".note.kbuild"
OWNER: Final = b"kbuild\0"
TYPE: Final = 1
VERSION: Final = 1

# version, header size, distances to descriptor, constructor and unregister, record size
_HEADER: Final = struct.Struct("<IIqqqQ")
_DESCRIPTOR: Final = 8
_CONSTRUCTOR: Final = 16
_UNREGISTER: Final = 24
_RECORD_SIZE: Final = 32
_SIZE: Final = struct.Struct("<Q")


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """The note of one target.

    ``descriptor``, ``constructor``, and ``unregister`` are the offsets in the section of the
    fields that contain the distances. A distance counts from its own field, and in an object
    file it is a relocation.
    """

    record: TargetRecord
    descriptor: int
    constructor: int
    unregister: int


def read_notes(content: bytes) -> tuple[tuple[Note, ...], tuple[Problem, ...]]:
    """Return every kbuild note in the bytes of a section, and the damage found. Never raises."""
    notes: list[Note] = []
    problems: list[Problem] = []
    position = 0
    while position < len(content):
        start = position
        try:
            note = read_note(content, start)
            position = note.end
            if note.owner == OWNER and note.type == TYPE:
                notes.append(_read_description(content, note.description))
        except InputError as error:
            where = f"{SECTION}, byte {start:#x}"
            problems.append(Problem(where=where, message=str(error), offset=start))
            if position == start:
                break
    return tuple(notes), tuple(problems)


def replace_record(
    content: bytes, note: Note, record: TargetRecord
) -> tuple[tuple[int, bytes], ...]:
    """Return the changes, as (offset, bytes), after which a note has a smaller record.

    Args:
        content: The bytes of the section.
        note: The note.
        record: The new record.

    Raises:
        InputError: The new record is larger than the old one.
    """
    start = note.descriptor - _DESCRIPTOR
    _, header_size, *_, size = _HEADER.unpack_from(content, start)
    data = dump(RECORD_SCHEMA, record)
    if len(data) > size:
        raise InputError(f"{SECTION}: the record needs {len(data)} bytes, but has only {size}")
    return (
        (start + _RECORD_SIZE, _SIZE.pack(len(data))),
        (start + header_size, data.ljust(size, b"\0")),
    )


def _read_description(content: bytes, description: range) -> Note:
    start = description.start
    if len(description) < _HEADER.size:
        raise InputError(
            f"the note has {len(description)} bytes; its header needs {_HEADER.size} bytes"
        )
    version, header_size, *_, record_size = _HEADER.unpack_from(content, start)
    if version != VERSION:
        raise InputError(f"unsupported note version {version}; expected {VERSION}")
    if header_size < _HEADER.size or header_size + record_size > len(description):
        raise InputError(
            f"a header of {header_size} bytes and a record of {record_size} bytes do not fit "
            f"in a note of {len(description)} bytes"
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
        return load(RECORD_SCHEMA, TargetRecord, content, "the record", OLDER_RECORD_SCHEMAS)
    except RecursionError as error:
        raise InputError("the record is nested too deeply") from error
