"""Stamps of edges, TOML files that cannot be read, and outputs that are not files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild import files
from kbuild.errors import ConfigurationError
from kbuild.files import begin_stamp, read_toml, write_stamp


def test_starting_an_edge_removes_its_stamp(tmp_path: Path) -> None:
    stamp = tmp_path / "new" / "stamp"
    write_stamp(stamp, b"old", begin_stamp(stamp))

    begin_stamp(stamp)

    assert list(stamp.parent.iterdir()) == []


def test_input_that_changes_after_the_start_is_not_older_than_the_stamp(tmp_path: Path) -> None:
    stamp, source = tmp_path / "stamp", tmp_path / "source"
    source.touch()
    started = begin_stamp(stamp)
    before = source.stat().st_mtime_ns
    source.write_bytes(b"edited")

    write_stamp(stamp, b"content", started)

    assert stamp.read_bytes() == b"content"
    assert before <= stamp.stat().st_mtime_ns <= source.stat().st_mtime_ns


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = " + "[" * 2000, "not TOML: the values are nested too deeply"),
        ("a = " + "9" * 5000, "not TOML: Exceeds the limit"),
        ("a = ]", "not TOML: Invalid value"),
    ],
)
def test_unreadable_toml_is_rejected(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "kbuild.toml"
    path.write_text(text)

    with pytest.raises(ConfigurationError, match=expected):
        read_toml(path)


def test_pipes_and_devices_are_not_replaced(tmp_path: Path) -> None:
    """For a user who is root, a file in the place of ``/dev/null`` would stay."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    files.remove_output(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.write_file(pipe, b"content")
    assert os.read(reader, 99) == b"content"
    os.close(reader)
    assert pipe.is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
