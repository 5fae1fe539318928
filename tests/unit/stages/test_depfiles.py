"""Edges that have nothing to do."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.depfiles import check_prerequisites, format_depfile, is_fresh, read_depfile


@pytest.fixture
def edge(tmp_path: Path) -> tuple[Path, Path, Path, Path]:
    """Header, depfile, hand-over and stamp, each a second newer than the one before."""
    header = tmp_path / "with space.h"
    depfile = tmp_path / "a.d"
    hand_over = tmp_path / "a.edge"
    stamp = tmp_path / "a.json"
    for age, path in enumerate((header, depfile, hand_over, stamp)):
        path.touch()
        os.utime(path, (age, age))
    depfile.write_text(f"{stamp}: {str(header).replace(' ', chr(92) + ' ')}\n")
    return header, depfile, hand_over, stamp


def test_fresh(edge: tuple[Path, Path, Path, Path]) -> None:
    _, depfile, hand_over, stamp = edge

    assert is_fresh(stamp, depfile, (hand_over,))


@pytest.mark.parametrize("index", [0, 2])
def test_newer_input(edge: tuple[Path, Path, Path, Path], index: int) -> None:
    _, depfile, hand_over, stamp = edge
    os.utime(edge[index], (9, 9))

    assert not is_fresh(stamp, depfile, (hand_over,))


@pytest.mark.parametrize("index", [0, 1, 2, 3])
def test_missing_file(edge: tuple[Path, Path, Path, Path], index: int) -> None:
    _, depfile, hand_over, stamp = edge
    edge[index].unlink()

    assert not is_fresh(stamp, depfile, (hand_over,))


def test_depfile_of_a_real_compiler(tmp_path: Path) -> None:
    names = ["plain.h", "with space.h", "dollar$.h", "hash#.h"]
    for name in names:
        (tmp_path / name).touch()
    source = tmp_path / "a.c"
    source.write_text("".join(f'#include "{name}"\n' for name in names))
    subprocess.run(["gcc", "-MM", "-MF", "a.d", "-MQ", "out", "a.c"], cwd=tmp_path, check=True)

    found = read_depfile((tmp_path / "a.d").read_text())

    assert sorted(map(str, found)) == sorted(["a.c", *names])


def test_depfile_is_read_as_it_was_written() -> None:
    files = (Path("/a/plain"), Path("/with space/and #5"), Path("/a/$HOME"))
    text = format_depfile(Path("/b/the stamp"), files)
    assert text.startswith("/b/the\\ stamp: ")
    assert read_depfile(text) == files
    assert read_depfile(format_depfile(Path("/b"), ())) == ()


def write_depfile(folder: Path, header: str) -> Path:
    (folder / header).touch()
    (folder / "a.cpp").write_text(f'#include "{header}"\n')
    subprocess.run(["g++", "-MMD", "-c", "a.cpp"], cwd=folder, check=True)
    return folder / "a.d"


@pytest.mark.parametrize("name", ["h;h.h", "h\\h.h", "h^h.h", "h`h.h", "h*h.h"])
def test_headers_that_build_tools_misread(tmp_path: Path, name: str) -> None:
    with pytest.raises(
        ConfigurationError, match=r"header h.h.h: build tools do not take .* rename it"
    ):
        check_prerequisites(write_depfile(tmp_path, name))


@pytest.mark.parametrize("name", ["h h.h", "h#h.h", "h$h.h", "h[h.h", "h:h.h", "é,'(&).h"])
def test_headers_that_build_tools_read(tmp_path: Path, name: str) -> None:
    check_prerequisites(write_depfile(tmp_path, name))
