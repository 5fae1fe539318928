"""Tests for `kbuild.records`, and for writing files atomically."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kbuild import files, records
from kbuild.errors import InputError
from kbuild.model import (
    CompilerRecord,
    ContainerRecord,
    FigureRecord,
    ImageRecord,
    KernelRecord,
    Param,
    TargetRecord,
)
from kbuild.records import Accept, key

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
FIGURES = st.builds(
    FigureRecord,
    name=st.sampled_from(["spill_store_bytes", "spill_load_bytes"]),
    values=st.lists(st.none() | SIZES, max_size=3).map(tuple),
)
COMPILERS = st.builds(
    CompilerRecord, name=TEXT, version=TEXT, options=st.lists(TEXT, max_size=2).map(tuple)
)
IMAGES = st.builds(
    ImageRecord,
    arch=TEXT,
    kind=st.just("elf"),
    sha256=TEXT,
    size=SIZES,
    kernels=st.lists(TEXT, max_size=2).map(tuple),
    figures=st.lists(FIGURES, max_size=2).map(tuple),
    compiler=st.none() | SIZES,
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
    compilers=st.lists(COMPILERS, max_size=2).map(tuple),
)


def load(content: bytes) -> TargetRecord:
    return records.load(records.RECORD_SCHEMA, TargetRecord, content, "test")


@given(RECORDS)
def test_load_returns_what_dump_wrote(value: TargetRecord) -> None:
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
        (
            {"schema": "kbuild.record/0"},
            "(its schema is 'kbuild.record/0')",
        ),
        ({"target": 3}, "test.target: expected a string, found 3"),
        ({"visibility": "public"}, "test.visibility: unsupported value 'public'; expected one of"),
        ({"kernels": {}}, "test.kernels: expected a list, found an empty table"),
        ({"kernels": [{"handle": "k"}]}, "test.kernels[0]: missing key 'device_name'"),
        ({"visibilty": "hidden"}, "unknown key 'visibilty'; did you mean 'visibility'?"),
    ],
)
def test_error_names_the_bad_value(change: dict[str, object], expected: str) -> None:
    with pytest.raises(InputError) as caught:
        load(json.dumps({**sample(), **change}).encode())

    assert expected in str(caught.value)


@given(st.binary(max_size=200))
def test_load_raises_only_input_errors(content: bytes) -> None:
    with pytest.raises(InputError):
        load(content)


def test_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "file"
    target.write_bytes(b"old")

    def fail(_self: Path, _target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(OSError, match="No space"):
        files.write_file(target, b"new")

    assert target.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [target]


def test_write_if_changed_keeps_an_equal_file_untouched(tmp_path: Path) -> None:
    target = tmp_path / "directory" / "file"

    assert files.write_if_changed(target, b"a")
    before = target.stat().st_mtime_ns
    assert not files.write_if_changed(target, b"a")
    assert target.stat().st_mtime_ns == before
    assert files.write_if_changed(target, b"b")
    assert target.read_bytes() == b"b"


Port = Annotated[int, Accept(expected="a port number", minimum=0, maximum=65535)]
Word = Annotated[str, Accept(expected="a word", pattern="[a-z]+")]
Words = Annotated[tuple[Word, ...], Accept(expected="a word or words", one_or_many=True)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listener:
    name: str
    port: Port


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    extent: tuple[int, int, int] | None = None
    words: Words = ()
    until: dt.date | None = None
    only: Word | None = field(default=None, metadata=key(not_with=("words",)))
    listeners: tuple[Listener, ...] = field(
        default=(), metadata=key(name="listen", keyed_by="name", shorthand="port")
    )
    origin: str | None = field(default=None, metadata=key(is_internal=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    names: Words = field(default=(), metadata=key(is_selector=True))
    ports: tuple[Port, ...] = field(default=(), metadata=key(is_selector=True))


def test_from_json_reads_every_kind_of_field() -> None:
    data = {
        "extent": [1, 2.0, 3],
        "words": "one",
        "until": "2027-01-31",
        "listen": {"a": 80, "b": {"port": 443}},
    }

    assert records.from_json(Settings, data) == Settings(
        extent=(1, 2, 3),
        words=("one",),
        until=dt.date(2027, 1, 31),
        listeners=(Listener(name="a", port=80), Listener(name="b", port=443)),
    )


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ([], "Settings: expected a table, found an empty list"),
        ({"extent": [1, 2]}, "Settings.extent: expected a list of 3 items, found 2 items"),
        ({"words": []}, "Settings.words: expected a word or words, found an empty list"),
        ({"words": ["one", "2"]}, "Settings.words[1]: expected a word, found '2'"),
        ({"until": "2027-02-30"}, "expected a date such as 2026-12-31, found '2027-02-30'"),
        ({"until": dt.datetime(2027, 1, 31)}, "found 2027-01-31 00:00:00"),  # noqa: DTZ001
        ({"only": "one", "words": "two"}, "Settings: 'only' cannot be combined with 'words'"),
        ({"listen": {"a": 70000}}, "Settings.listen.a.port: expected a port number, found 70000"),
        ({"listen": {"a": {"name": "b", "port": 1}}}, "listen.a: unknown key 'name'"),
        ({"listen": [80]}, "Settings.listen: expected a table, found a list"),
        ({"origin": "x"}, "Settings: unknown key 'origin'"),
        ({"only": "x" * 99 + "1"}, f"found '{'x' * 56}..."),
    ],
)
def test_from_json_names_the_value_and_what_was_expected(data: object, expected: str) -> None:
    with pytest.raises(InputError) as caught:
        records.from_json(Settings, data)

    assert expected in str(caught.value)


def test_a_table_without_any_selector_is_an_error() -> None:
    assert records.from_json(Selection, {"ports": [1]}).ports == (1,)
    with pytest.raises(InputError, match="expected at least one of 'names', 'ports'"):
        records.from_json(Selection, {})


def test_load_rejects_an_escaped_half_of_a_surrogate_pair() -> None:
    content = json.dumps({**sample(), "target": "\ud800"}).encode()

    with pytest.raises(InputError, match="not JSON"):
        load(content)
