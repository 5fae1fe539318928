from __future__ import annotations

import json
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild.errors import InputError
from kbuild.formats.target_note import read_notes, replace_record
from kbuild.model import ContainerRecord, ImageRecord, TargetRecord
from kbuild.records import RECORD_SCHEMA, dump

IMAGE = ImageRecord(arch="sm_80", kind="elf", sha256="00", size=1, kernels=("k",))


def _record(target: str = "demo") -> TargetRecord:
    return TargetRecord(
        version="0.1.0",
        target=target,
        backend="cpu",
        visibility="hidden",
        kernels=(),
        containers=(ContainerRecord(source="a.cu", images=(IMAGE,)),),
    )


def _note(
    record: bytes,
    *,
    owner: tuple[bytes, int] = (b"kbuild\0", 1),
    version: int = 1,
    header_size: int = 40,
    record_size: int | None = None,
) -> bytes:
    name, kind = owner
    size = len(record) if record_size is None else record_size
    header = struct.pack("<IIqqqQ", version, header_size, -8, 16, 0, size)
    description = header + bytes(max(0, header_size - len(header))) + record
    padding = bytes(-len(description) % 4)
    front = struct.pack("<III", len(name), len(description), kind)
    return front + name + bytes(-len(name) % 4) + description + padding


SOUND = _note(dump(RECORD_SCHEMA, _record()))


def test_note_is_read() -> None:
    (note,), problems = read_notes(SOUND)
    assert problems == ()
    assert note.record == _record()
    assert [
        struct.unpack_from("<q", SOUND, offset)[0]
        for offset in (note.descriptor, note.constructor, note.unregister)
    ] == [-8, 16, 0]


def test_record_is_replaced_by_a_smaller_one() -> None:
    content = SOUND + SOUND
    second = read_notes(content)[0][1]
    smaller = replace(_record(), containers=(ContainerRecord(source="a.cu", images=()),))
    changed = bytearray(content)

    for offset, data in replace_record(content, second, smaller):
        changed[offset : offset + len(data)] = data

    notes, problems = read_notes(bytes(changed))
    assert (problems, [note.record for note in notes]) == ((), [_record(), smaller])
    assert notes[1].constructor == second.constructor
    with pytest.raises(InputError, match="the record needs"):
        replace_record(content, second, _record("a longer name"))


def test_notes_of_other_owners_are_skipped() -> None:
    foreign = _note(b"", owner=(b"GNU\0", 3))
    other_kind = _note(b"", owner=(b"kbuild\0", 7))
    second = _note(dump(RECORD_SCHEMA, _record("second")))
    notes, problems = read_notes(foreign + SOUND + other_kind + second)
    assert problems == ()
    assert [note.record.target for note in notes] == ["demo", "second"]


def test_longer_header_of_a_later_kbuild_is_read() -> None:
    (note,), problems = read_notes(_note(dump(RECORD_SCHEMA, _record()), header_size=64))
    assert problems == ()
    assert note.record == _record()


def test_record_of_an_older_kbuild_is_read() -> None:
    content = dump(RECORD_SCHEMA, _record()).replace(b"kbuild.record/2", b"kbuild.record/1")
    older = json.loads(content)
    del older["compilers"]
    for container in older["containers"]:
        for image in container["images"]:
            del image["figures"], image["compiler"]

    (note,), problems = read_notes(_note(json.dumps(older).encode()))

    assert problems == ()
    assert note.record == _record()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SOUND[:8], "cut off in its header"),
        (SOUND[:40], "the note ends at byte"),
        (_note(b"", version=2), "unsupported note version 2"),
        (_note(b"", header_size=8), "do not fit"),
        (_note(b"{}", record_size=100), "do not fit"),
        (_note(b"{}"), "not a kbuild.record/2 record"),
        (_note(b"[" * 100_000), "not JSON|nested too deeply"),
        (_note(b"\xff\xfe"), "not JSON"),
        (_note(b'{"schema":"kbuild.record/1","version":1}'), "missing key"),
    ],
)
def test_unreadable_note_is_a_problem(content: bytes, message: str) -> None:
    notes, (problem,) = read_notes(content)
    assert notes == ()
    assert problem.where == ".note.kbuild, byte 0x0"
    assert any(part in problem.message for part in message.split("|"))


def test_unreadable_note_does_not_hide_the_next() -> None:
    notes, problems = read_notes(_note(b"{}") + SOUND)
    assert len(notes) == len(problems) == 1


@given(st.data())
def test_damage_is_reported_without_raising(data: st.DataObject) -> None:
    content = bytearray(SOUND * 2)
    for _ in range(data.draw(st.integers(0, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    read_notes(bytes(content[: data.draw(st.integers(0, len(content)))]))
