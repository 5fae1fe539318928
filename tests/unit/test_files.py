"""Tests for stamps: an edge removes its stamp at the start, and dates the new one back to it."""

from __future__ import annotations

from pathlib import Path

from kbuild.files import begin_stamp, write_stamp


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
