"""Values to JSON and back, and files written whole or not at all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild import files, records
from kbuild.errors import InputError
from kbuild.model import ContainerRecord, ImageRecord, KernelRecord, Param, TargetRecord

TEXT = st.text(st.characters(codec="utf-8"), max_size=20)
SIZES = st.integers(min_value=0, max_value=2**40)
PARAMS = st.builds(
    Param, index=SIZES, offset=SIZES, size=SIZES, type=st.none() | TEXT, name=st.none() | TEXT
)
KERNELS = st.builds(
    KernelRecord,
    handle=TEXT,
    device_name=TEXT,
    display=TEXT,
    linkage=st.sampled_from(["external", "weak", "internal"]),
    container=SIZES,
    params=st.lists(PARAMS, max_size=3).map(tuple),
    stub=st.none() | TEXT,
)
IMAGES = st.builds(
    ImageRecord,
    arch=TEXT,
    kind=st.just("elf"),
    sha256=TEXT,
    size=SIZES,
    kernels=st.lists(TEXT, max_size=2).map(tuple),
)
CONTAINERS = st.builds(ContainerRecord, source=TEXT, images=st.lists(IMAGES, max_size=2).map(tuple))
RECORDS = st.builds(
    TargetRecord,
    version=TEXT,
    target=TEXT,
    backend=TEXT,
    visibility=st.sampled_from(["default", "hidden"]),
    kernels=st.lists(KERNELS, max_size=3).map(tuple),
    containers=st.lists(CONTAINERS, max_size=2).map(tuple),
)


def load(content: bytes) -> TargetRecord:
    return records.load(records.RECORD_SCHEMA, TargetRecord, content, "test")


@given(RECORDS)
def test_records_survive_the_round_trip(value: TargetRecord) -> None:
    content = records.dump(records.RECORD_SCHEMA, value)

    assert load(content) == value
    assert content.count(b"\n") == 1


def sample() -> dict[str, object]:
    return {
        "schema": records.RECORD_SCHEMA,
        "version": "1",
        "target": "t",
        "backend": "cpu",
        "visibility": "hidden",
        "kernels": [],
        "containers": [],
    }


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"schema": "kbuild.record/0"}, "not a kbuild.record/1 record"),
        ({"target": 3}, "test.target: expected str, found int"),
        ({"visibility": "public"}, "test.visibility: 'public' is none of"),
        ({"kernels": {}}, "test.kernels: expected a list"),
        ({"kernels": [{"handle": "k"}]}, "test.kernels[0]: field 'device_name' is missing"),
        ({"colour": "red"}, "test: unknown field 'colour'"),
    ],
)
def test_what_does_not_fit_is_named(change: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError) as caught:
        load(json.dumps({**sample(), **change}).encode())

    assert expected in str(caught.value)


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    with pytest.raises(InputError):
        load(content)


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def fail(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        files.write_file(target, b"new")

    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_write_if_changed_keeps_the_time_of_an_equal_file(tmp_path: Path) -> None:
    target = tmp_path / "folder" / "file"

    assert files.write_if_changed(target, b"a")
    before = target.stat().st_mtime_ns
    assert not files.write_if_changed(target, b"a")
    assert target.stat().st_mtime_ns == before
    assert files.write_if_changed(target, b"b")
    assert target.read_bytes() == b"b"
