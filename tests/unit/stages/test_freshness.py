"""Edges that have nothing to do."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

import pytest

from kbuild.backends.interface.toolchain import Toolchain
from kbuild.stages.depfiles import format_depfile, read_dependencies
from kbuild.stages.edges import CompileEdge
from kbuild.stages.freshness import forget_source, is_compiled

# In the order of their times.
FILES: Final = ("with space.h", "a.d", "a.edge", "flags", "a.cu", "a.key", "a.json")


def make_edge(directory: Path, *, is_mixed: bool = False) -> CompileEdge:
    """Return an edge whose files are each one second newer than the previous one."""
    for age, name in enumerate(FILES):
        (directory / name).touch()
        os.utime(directory / name, (age, age))
    edge = CompileEdge(
        kbuild_version="1",
        source=directory / "a.cu",
        display_source="a.cu",
        arch="80",
        device_standard=17,
        output=directory / "a",
        toolchain=Toolchain(backend="cpu", compiler=Path("c++"), compiler_id="GNU", version="12"),
        key=directory / "a.key" if is_mixed else None,
    )
    edge.depfile.write_text(format_depfile(edge.stamp, (directory / FILES[0],)))
    return edge


@pytest.mark.parametrize("is_mixed", [False, True])
def test_an_edge_is_fresh_when_its_stamp_is_newest(tmp_path: Path, is_mixed: bool) -> None:
    assert is_compiled(make_edge(tmp_path, is_mixed=is_mixed), tmp_path / "flags")


@pytest.mark.parametrize("name", ["with space.h", "a.edge", "flags", "a.cu"])
def test_an_edge_is_stale_when_an_input_is_newer(tmp_path: Path, name: str) -> None:
    edge = make_edge(tmp_path)
    os.utime(tmp_path / name, (9, 9))

    assert not is_compiled(edge, tmp_path / "flags")


@pytest.mark.parametrize("name", ["with space.h", "a.d", "a.edge", "flags", "a.cu", "a.json"])
def test_an_edge_is_stale_when_a_file_is_missing(tmp_path: Path, name: str) -> None:
    edge = make_edge(tmp_path)
    (tmp_path / name).unlink()

    assert not is_compiled(edge, tmp_path / "flags")


@pytest.mark.parametrize(("name", "expected"), [("a.cu", True), ("a.key", False)])
def test_the_device_pass_of_a_mixed_source_depends_on_its_key(
    tmp_path: Path, name: str, expected: bool
) -> None:
    edge = make_edge(tmp_path, is_mixed=True)
    edge.depfile.write_text(format_depfile(edge.stamp, (edge.source, tmp_path / "with space.h")))
    forget_source(edge)
    os.utime(tmp_path / name, (9, 9))

    assert read_dependencies(edge.depfile) == (tmp_path / "with space.h",)
    assert is_compiled(edge, tmp_path / "flags") is expected
