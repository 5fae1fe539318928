"""kbuild finds the compilers of this machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu import build as cpu
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.toolchain.devices import query_architecture
from kbuild.toolchain.find import (
    find_toolchain,
    gather_hints,
)


def make_compiler(directory: Path, name: str, prints: str, status: int = 0) -> Path:
    path = directory / name
    path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
    path.chmod(0o755)
    return path


def test_compiler_of_this_machine_is_found() -> None:
    toolchain = find_toolchain(cpu, gather_hints())

    assert toolchain.compiler.is_absolute()
    assert toolchain.compiler_id in ("gcc", "clang")


@pytest.fixture
def gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolchain:
    """The only compiler on PATH of an x86-64 machine."""
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "x86_64")
    monkeypatch.setenv("PATH", str(tmp_path))
    make_compiler(tmp_path, "g++", "g++ (GCC) 14.2.1")
    return find_toolchain(cpu, gather_hints())


def test_native_expands_to_the_level_of_this_machine() -> None:
    level = query_architecture("cpu")
    hints = gather_hints()
    assert cpu.expand_architectures(("native",), find_toolchain(cpu, hints), hints) == (level,)
