"""``kbuild compile`` does nothing only if everything that the edge depends on is older."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

import pytest

from kbuild import records
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cli.commands.edges import compile as command
from kbuild.stages.edges import EDGE_SCHEMA, CompileEdge


class Compiled(Exception):  # noqa: N818 - it is not an error
    """The edge was compiled."""


@pytest.mark.parametrize("newer", ["", "a.cu.key", "header.h", "a.edge"])
def test_edge_of_a_mixed_source_is_compiled_if_an_input_is_newer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newer: str
) -> None:
    def compile_edge(*_: object) -> None:
        raise Compiled

    monkeypatch.setattr(command, "compile_edge", compile_edge)
    edge = CompileEdge(
        kbuild_version="1",
        source=tmp_path / "a.cu",
        display_source="a.cu",
        arch="x86-64",
        device_standard=17,
        output=tmp_path / "a",
        toolchain=Toolchain(backend="cpu", compiler=Path("g++"), compiler_id="gcc", version="12"),
        key=tmp_path / "a.cu.key",
    )
    names = ("a.cu", "a.cu.key", "header.h", "flags.txt", "a.edge", "a.json", "a.d")
    for name in names:
        (tmp_path / name).touch()
    (tmp_path / "a.edge").write_bytes(records.dump(EDGE_SCHEMA, edge))
    (tmp_path / "a.d").write_text(f"{edge.stamp}: {tmp_path / 'header.h'}\n")
    # The key contains what device code depends on in the source and in the flags.
    times = {"a.json": 2, "a.cu": 3, "flags.txt": 3, newer: 3}
    for name in names:
        os.utime(tmp_path / name, ns=(1, times.get(name, 1)))
    arguments = argparse.Namespace(edge=tmp_path / "a.edge", flags=tmp_path / "flags.txt")

    if newer:
        with pytest.raises(Compiled):
            command.run(arguments)
    else:
        assert command.run(arguments) == 0
