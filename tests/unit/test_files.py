"""Stamps of edges: gone while the edge runs, and as old as its start."""

from __future__ import annotations

from pathlib import Path

from kbuild.files import begin_stamp, write_stamp


def test_begun_edge_has_no_stamp(tmp_path: Path) -> None:
    stamp = tmp_path / "new" / "stamp"
    write_stamp(stamp, b"old", begin_stamp(stamp))

    begin_stamp(stamp)

    assert list(stamp.parent.iterdir()) == []


def test_input_changed_after_the_start_is_no_older(tmp_path: Path) -> None:
    stamp, source = tmp_path / "stamp", tmp_path / "source"
    source.touch()
    started = begin_stamp(stamp)
    before = source.stat().st_mtime_ns
    source.write_bytes(b"edited")

    write_stamp(stamp, b"content", started)

    assert stamp.read_bytes() == b"content"
    assert before <= stamp.stat().st_mtime_ns <= source.stat().st_mtime_ns
