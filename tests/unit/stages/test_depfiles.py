"""Tests for depfiles, and for edges that have nothing to do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild.stages.depfiles import format_depfile, is_fresh, read_depfile


@pytest.fixture
def edge(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """A header, depfile, handoff file, and stamp, each one second newer than the previous one."""
    header = tmp_path / "with space.h"
    depfile = tmp_path / "a.d"
    handoff = tmp_path / "a.edge"
    stamp = tmp_path / "a.json"
    for age, path in enumerate((header, depfile, handoff, stamp)):
        path.touch()
        os.utime(path, (age, age))
    depfile.write_text(f"{stamp}: {str(header).replace(' ', chr(92) + ' ')}\n")
    return header, depfile, handoff, stamp


def test_edge_is_fresh_when_its_stamp_is_newest(edge: tuple[Path, Path, Path, Path]) -> None:
    _, depfile, handoff, stamp = edge

    assert is_fresh(stamp, depfile, (handoff,))


@pytest.mark.parametrize("index", [0, 2])
def test_edge_is_stale_when_an_input_is_newer(
    edge: tuple[Path, Path, Path, Path], index: int
) -> None:
    _, depfile, handoff, stamp = edge
    os.utime(edge[index], (9, 9))

    assert not is_fresh(stamp, depfile, (handoff,))


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_edge_is_stale_when_a_file_is_missing(
    edge: tuple[Path, Path, Path, Path], index: int
) -> None:
    _, depfile, handoff, stamp = edge
    edge[index].unlink()

    assert not is_fresh(stamp, depfile, (handoff,))


def test_written_depfile_can_be_read_back() -> None:
    files = (Path("/a/plain"), Path("/with space/and #5"), Path("/a/$HOME"))
    text = format_depfile(Path("/b/the stamp"), files)
    assert text.startswith("/b/the\\ stamp: ")
    assert read_depfile(text) == files
    assert read_depfile(format_depfile(Path("/b"), ())) == ()
