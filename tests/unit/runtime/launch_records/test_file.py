from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kbuild.errors import ConfigurationError, InputError
from kbuild.formats.offload import binary as offload_binary
from kbuild.model import ContainerRecord, ImageRecord, KernelRecord, Param
from kbuild.runtime.launch_records.file import (
    CapturedBuffer,
    CapturedCode,
    CapturedImage,
    CapturedPointer,
    CaptureNote,
    LaunchOrigin,
    LaunchOutcome,
    LaunchRecord,
    RecordedConfig,
    read_images,
    read_launch_record,
    write_launch_record,
)

START = struct.Struct("<8sIIQ")
IMAGE = ImageRecord(arch="one", kind="elf", sha256="00", size=3, kernels=("_Z4axpyfPf",))
RECORD = LaunchRecord(
    backend="cpu",
    kernel=KernelRecord(
        handle="_Z4axpyfPf",
        device_name="_Z4axpyfPf",
        display="axpy(float, float*)",
        linkage="external",
        container=0,
        params=(
            Param(index=0, offset=0, size=4, type="float", name="a"),
            Param(index=1, offset=8, size=8, type="float*", name="x"),
        ),
    ),
    config=RecordedConfig(grid=(2, 1, 1), block=(32, 1, 1), shared_bytes=16, cluster=(2, 1, 1)),
    arguments=struct.pack("<fxxxxQ", 2.5, 0x1010),
    code=CapturedCode(
        fat_binary=b"fat" * 50,
        described=ContainerRecord(source="axpy.cu", images=(IMAGE,)),
        images=(CapturedImage(arch="sm_80", kind="ptx", content=b"// PTX"),),
    ),
    pointers=(CapturedPointer(offset=8, buffer=1, buffer_offset=0x10),),
    buffers=(
        CapturedBuffer(address=0x500, size=1 << 40, content=None),
        CapturedBuffer(address=0x1000, size=100, content=bytes(range(100))),
    ),
    notes=(CaptureNote(kind="over-limit", message="too large: ≥ 1 TiB"),),
    origin=LaunchOrigin(program="/bin/a b", pid=7, file="main.cpp", line=3),
    outcome=LaunchOutcome(code=9, message="no"),
)


def write(directory: Path, record: LaunchRecord = RECORD) -> Path:
    path = directory / "one.launch"
    write_launch_record(path, record)
    return path


def forge(path: Path, header: dict[str, Any] | bytes, *, size: int | None = None) -> None:
    """Replace the header of a file and keep its payload."""
    content = path.read_bytes()
    magic, version, zero, old = START.unpack(content[: START.size])
    payload = content[(START.size + old + 63) // 64 * 64 :]
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    start = START.pack(magic, version, zero, len(text) if size is None else size) + text
    path.write_bytes(start + bytes(-len(start) % 64) + payload)


def header_of(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    size = START.unpack(content[: START.size])[3]
    header: dict[str, Any] = json.loads(content[START.size : START.size + size])
    return header


def read_or_reject(path: Path) -> None:
    """Read the file; the only error that it may cause is an InputError that names it."""
    message = str(path)
    try:
        read_launch_record(path)
    except InputError as error:
        message = str(error)
    assert str(path) in message


def test_records_are_read_back(tmp_path: Path) -> None:
    assert read_launch_record(write(tmp_path)) == RECORD


@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    arguments=st.binary(min_size=16, max_size=80),
    contents=st.lists(st.one_of(st.none(), st.binary(max_size=300)), max_size=4),
    images=st.lists(st.binary(max_size=200), max_size=3),
    outcome=st.one_of(
        st.none(),
        st.builds(
            LaunchOutcome,
            code=st.integers(-(2**31), 2**31 - 1),
            message=st.text(),
            is_late=st.booleans(),
        ),
    ),
)
def test_any_record_is_read_back(
    tmp_path: Path,
    arguments: bytes,
    contents: list[bytes | None],
    images: list[bytes],
    outcome: LaunchOutcome | None,
) -> None:
    record = replace(
        RECORD,
        arguments=arguments,
        code=CapturedCode(
            images=tuple(CapturedImage(arch="a", kind="other", content=image) for image in images)
        ),
        buffers=tuple(
            CapturedBuffer(address=i << 20, size=9 if c is None else len(c), content=c)
            for i, c in enumerate(contents)
        ),
        pointers=tuple(CapturedPointer(offset=i, buffer=i) for i in range(len(contents))),
        notes=(CaptureNote(kind="other", message=outcome.message if outcome else "", param=1),),
        outcome=outcome,
    )
    path = tmp_path / "any.launch"

    write_launch_record(path, record)

    assert read_launch_record(path) == record


def test_large_files_are_mapped(tmp_path: Path) -> None:
    content = bytes(17 << 20)
    record = replace(
        RECORD,
        buffers=(CapturedBuffer(address=1, size=len(content), content=content),),
        pointers=(),
    )

    (buffer,) = read_launch_record(write(tmp_path, record)).buffers

    assert isinstance(buffer.content, memoryview)
    assert bytes(buffer.content) == content


def test_every_payload_starts_on_its_boundary(tmp_path: Path) -> None:
    path = write(tmp_path)
    header = header_of(path)
    code = header["code"]
    places = [code["fat_binary"], code["images"][0]["content"], header["buffers"][1]["content"]]
    assert [place["offset"] for place in places] == [0, 192, 256]
    assert path.stat().st_size % 64 == 0


def test_padding_after_the_outcome_is_ignored(tmp_path: Path) -> None:
    path = write(tmp_path)
    header = header_of(path) | {"outcome": None}
    text = json.dumps(header).replace('"outcome": null', f'"outcome": null{" " * 900}')
    forge(path, text.encode())

    assert read_launch_record(path) == replace(RECORD, outcome=None)


def test_truncated_files_are_rejected_at_any_length(tmp_path: Path) -> None:
    content = write(tmp_path).read_bytes()
    end = content.rindex(bytes(range(100))) + 100  # only padding follows
    path = tmp_path / "part.launch"
    for length in (*range(0, end, 7), *range(end - 20, end)):
        path.write_bytes(content[:length])
        with pytest.raises(InputError, match=r"part\.launch"):
            read_launch_record(path)
    path.write_bytes(content[:end])
    assert read_launch_record(path) == RECORD


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(position=st.integers(0, 10_000), value=st.integers(0, 255))
def test_changed_bytes_are_rejected_or_read(tmp_path: Path, position: int, value: int) -> None:
    content = bytearray(write(tmp_path).read_bytes())
    content[position % len(content)] = value
    path = tmp_path / "changed.launch"
    path.write_bytes(content)
    read_or_reject(path)


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    data=st.data(),
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=5,
    ),
)
def test_changed_headers_are_rejected_or_read(
    tmp_path: Path, data: st.DataObject, value: object
) -> None:
    path = write(tmp_path)
    header = header_of(path)
    place: Any = header
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        if not (isinstance(place[key], (dict, list)) and place[key] and data.draw(st.booleans())):
            break
        place = place[key]
    place[key] = value
    forge(path, header)
    read_or_reject(path)


@pytest.mark.parametrize("size", [2**64 - 1, 2**40, 10_000])
def test_wrong_header_sizes_do_not_allocate_memory(tmp_path: Path, size: int) -> None:
    path = write(tmp_path)
    forge(path, header_of(path), size=size)
    with pytest.raises(InputError, match="truncated: the header"):
        read_launch_record(path)


def test_too_large_headers_are_not_read(tmp_path: Path) -> None:
    path = write(tmp_path)
    forge(path, header_of(path), size=1 << 30)
    with path.open("r+b") as stream:
        stream.truncate(2 << 30)
    with pytest.raises(InputError, match="the header has 1073741824 bytes; expected at most"):
        read_launch_record(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a launch record"),
        (b"KBLAUNCH", "not a launch record"),
        (b"\x7fELF" + bytes(60), "not a launch record"),
        (
            START.pack(b"KBLAUNCH", 2, 0, 0),
            "unsupported version 2 of a launch record; this kbuild reads version 1",
        ),
        (START.pack(b"KBLAUNCH", 1, 0, 0), "not JSON"),
    ],
)
def test_other_files_are_rejected(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "other"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_launch_record(path)


@pytest.mark.parametrize(
    "text",
    [b"[" * 200_000, b'{"schema": "kbuild.launch/1", "backend": "\\ud800"}', b"\xff\xfe", b"[]"],
)
def test_malformed_json_is_rejected(tmp_path: Path, text: bytes) -> None:
    path = write(tmp_path)
    forge(path, text)
    with pytest.raises(InputError, match=r"one\.launch"):
        read_launch_record(path)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"schema": "kbuild.launch/9"}, "its schema is 'kbuild.launch/9'"),
        ({"arguments": "xy"}, "arguments: expected hexadecimal digits"),
        ({"arguments": "00" * (1 << 21)}, "arguments: expected at most"),
        ({"arguments": "00"}, r"kernel.params\[0\]: extends past the 1 argument bytes"),
        ({"pointers": [{"offset": 9, "buffer": 1}]}, r"pointers\[0\].offset: extends past"),
        ({"pointers": [{"offset": -1, "buffer": 1}]}, r"pointers\[0\].offset: extends past"),
        (
            {"pointers": [{"offset": 8, "buffer": 2}]},
            r"pointers\[0\].buffer: no buffer 2; the record has 2",
        ),
        (
            {"pointers": [{"offset": 8, "buffer": 1, "buffer_offset": 101}]},
            r"buffer_offset: is outside",
        ),
        ({"buffers": [{"address": -1, "size": 1}]}, r"buffers\[0\].address: expected an unsigned"),
        (
            {"config": {"grid": [1, 1], "block": [1, 1, 1]}},
            "config.grid: expected a list of 3 items",
        ),
        (
            {"config": {"grid": [1, 1, 1], "block": [1, 1, 2**32]}},
            r"config.block\[2\]: expected an unsigned integer of 32",
        ),
    ],
)
def test_inconsistent_headers_are_rejected(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    path = write(tmp_path)
    forge(path, header_of(path) | changes)
    with pytest.raises(InputError, match=message):
        read_launch_record(path)


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ({"offset": 1 << 60, "size": 100}, "truncated: the content ends at byte"),
        ({"offset": 0, "size": 1 << 60}, "bytes, but the buffer has 100"),
        ({"offset": -64, "size": 100}, r"content.offset: expected an unsigned"),
        ({"offset": 8, "size": 100}, "invalid offset 8"),
        ({"offset": 0, "size": 100, "sha256": "00"}, "damaged"),
    ],
)
def test_invalid_payload_places_are_rejected(
    tmp_path: Path, place: dict[str, Any], message: str
) -> None:
    path = write(tmp_path)
    header = header_of(path)
    header["buffers"][1]["content"] = place
    forge(path, header)
    with pytest.raises(InputError, match=message):
        read_launch_record(path)


def test_inconsistent_records_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"launch record.pointers\[0\].buffer"):
        write(tmp_path, replace(RECORD, buffers=()))
    assert list(tmp_path.iterdir()) == []


def test_recorded_configuration_can_be_launched() -> None:
    config = RECORD.config.to_launch_config()
    assert (config.grid, config.cluster, config.shared_bytes) == ((2, 1, 1), (2, 1, 1), 16)
    with pytest.raises(ConfigurationError, match="grid is 0"):
        replace(RECORD.config, grid=(0, 1, 1)).to_launch_config()


def test_images_of_a_fat_binary_are_read() -> None:
    fat_binary = offload_binary.write(
        [
            (offload_binary.IMAGE_KIND_OBJECT, (("arch", arch),), content)
            for arch, content in (("one", b"first"), ("two", b"second"))
        ]
    )
    record = replace(RECORD, code=replace(RECORD.code, fat_binary=fat_binary))

    images = [(image.arch, image.kind, bytes(image.content)) for image in read_images(record)]

    assert images == [
        ("one", "elf", b"first"),
        ("two", "elf", b"second"),
        ("sm_80", "ptx", b"// PTX"),
    ]


def test_unreadable_images_are_rejected() -> None:
    with pytest.raises(InputError, match="fat binary of axpy"):
        read_images(RECORD)
    with pytest.raises(InputError, match="unknown backend 'cpuu'; did you mean 'cpu'"):
        read_images(replace(RECORD, backend="cpuu"))
