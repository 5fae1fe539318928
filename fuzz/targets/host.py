"""Host ELF files: their sections, kbuild's note, and debug information."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Sequence
from typing import Any, Final

from fuzz.mutation.binary import mutate_bytes
from fuzz.mutation.elf import mutate_elf
from fuzz.mutation.json import format_document, mutate_document
from fuzz.target import Target, expect_input_errors
from kbuild.errors import InputError
from kbuild.formats.dwarf.signatures import read_signatures
from kbuild.formats.elf.notes import read_note
from kbuild.formats.target_note import read_notes
from kbuild.inspect.host.file import read_host_file
from kbuild.inspect.options import ReadOptions

_MIB: Final = 1 << 20
_OPTIONS: Final = ReadOptions(image_limit=_MIB, archive_limit=2 * _MIB, jobs=1)
_NAMES: Final = frozenset({"_Z5scalePfi", "_ZN2ns5scaleEPfNS_4ItemE", "f"})
_RECORD: Final = b'{"schema"'
_HEADER_BYTES: Final = 40


def check_host_file(data: bytes) -> None:
    """Read the facts of a host ELF file."""
    with expect_input_errors():
        read_host_file("fuzzed", data, _OPTIONS)


def check_note(data: bytes) -> None:
    """Read the notes that describe kbuild's targets."""
    read_notes(data)


def check_debug_information(data: bytes) -> None:
    """Read signatures from debug information."""
    with expect_input_errors():
        read_signatures(data, _NAMES)


def mutate_note(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Edit the bytes of a note, or the JSON in it and the sizes that must agree with it."""
    content = chance.choice(pool)
    start = content.find(_RECORD)
    try:
        note = read_note(content, 0)
        record: Any = json.loads(content[start : note.description.stop].rstrip(b"\0"))
    except (InputError, ValueError, RecursionError):
        return mutate_bytes(chance, pool)
    if chance.random() < 0.3 or start < note.description.start + _HEADER_BYTES:
        return mutate_bytes(chance, pool)
    text = format_document(chance, mutate_document(chance, record, record))
    front = bytearray(content[:start])
    struct.pack_into("<Q", front, note.description.start + _HEADER_BYTES - 8, len(text))
    description = len(front) - note.description.start + len(text)
    struct.pack_into("<I", front, 4, description)
    return bytes(front) + text + bytes(-len(text) % 4)


TARGETS: Final = (
    Target(
        name="elf",
        check=check_host_file,
        seeds=("artifact/*.o", "artifact/*.so", "artifact/executable*"),
        mutate=mutate_elf,
        weight=3,
    ),
    Target(name="note", check=check_note, seeds=("note/*",), mutate=mutate_note),
    Target(name="dwarf", check=check_debug_information, seeds=("dwarf/*",), mutate=mutate_elf),
)
