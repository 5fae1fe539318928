"""Tests for depfiles."""

from __future__ import annotations

from pathlib import Path

from kbuild.stages.depfiles import format_depfile, read_depfile


def test_written_depfile_can_be_read_back() -> None:
    files = (Path("/a/plain"), Path("/with space/and #5"), Path("/a/$HOME"))
    text = format_depfile(Path("/b/the stamp"), files)
    assert text.startswith("/b/the\\ stamp: ")
    assert read_depfile(text) == files
    assert read_depfile(format_depfile(Path("/b"), ())) == ()
