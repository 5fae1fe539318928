"""Tests for reading the records of calls."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.stages.calls.record import read_call


def write(directory: Path, text: str) -> Path:
    path = directory / "call.txt"
    path.write_bytes(os.fsencode(text))
    return path


def test_arguments_and_facts_are_read(tmp_path: Path) -> None:
    text = "argument t\nargument \nargument a b\ngenerated 2\ndefinition.2 X=1 2\nknown t\n"
    facts = "LIST one\nLIST two\nEMPTY \nfunction f\n"

    record = read_call(write(tmp_path, text + facts))

    assert record.function == "f"
    assert record.arguments == ("t", "", "a b")
    assert record.generated == {"a b"}
    assert record.definitions == {"a b": ("X=1 2",)}
    assert record.known == {"t"}
    assert record.find_all("LIST") == ("one", "two")
    assert record.find_all("EMPTY") == ()
    assert "EMPTY" in record.facts
    assert record.find("EMPTY", "default") == record.find("NONE", "default") == "default"


def test_value_can_contain_line_breaks(tmp_path: Path) -> None:
    record = read_call(write(tmp_path, "argument a\n b\n  c\n \nfunction f\n"))

    assert record.arguments == ("a\nb\n c\n",)


def test_paths_can_contain_bytes_that_are_not_utf8(tmp_path: Path) -> None:
    name = os.fsdecode(b"\xe9.cu")

    assert read_call(write(tmp_path, f"argument {name}\nfunction f\n")).arguments == (name,)


def test_missing_function_or_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="key 'function' is missing; run CMake again"):
        read_call(write(tmp_path, "argument t\n"))
    with pytest.raises(InputError, match="no such file; run CMake again"):
        read_call(tmp_path / "none")
