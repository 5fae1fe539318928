"""Tests for relative names of sources in commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kbuild.backends.file_names import forget_directory, name_files, name_relatively
from kbuild.backends.interface.build import CompileUnit
from kbuild.model import Command

UNIT = CompileUnit(
    source=Path("/tree/src/a.cu"),
    display_source="src/a.cu",
    arch="any",
    output=Path("/out/a"),
    stamp=Path("/out/a.json"),
    depfile=Path("/out/a.d"),
)
CALL = ("g++", "-I/tree", "-I/tree/include", "-I/tree2", *name_files(UNIT), "-c", "/tree/src/a.cu")


def test_root_is_the_path_without_the_display_name() -> None:
    assert UNIT.root == Path("/tree")
    assert replace(UNIT, display_source="/tree/src/a.cu").root is None
    assert replace(UNIT, display_source="other/a.cu").root is None


def test_paths_are_relative_to_the_root() -> None:
    assert name_files(UNIT) == ("-ffile-prefix-map=/tree/=",)
    assert name_files(replace(UNIT, debug=True)) == ("-fmacro-prefix-map=/tree/=",)
    assert name_files(replace(UNIT, display_source="/tree/src/a.cu")) == ()


def test_cached_command_runs_in_the_root() -> None:
    command = name_relatively(Command(argv=CALL), UNIT)

    assert command.cwd == Path("/tree")
    assert command.argv == (
        *("g++", "-I.", "-Iinclude", "-I/tree2", "-ffile-prefix-map=./=", "-c", "src/a.cu"),
    )


def test_debug_information_keeps_absolute_paths() -> None:
    unit = replace(UNIT, debug=True)
    command = Command(argv=CALL)

    assert name_relatively(command, unit) == command
    assert forget_directory(unit) == ()
    assert forget_directory(UNIT)
