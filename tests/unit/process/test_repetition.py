"""Errors that several commands of a build find."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, SourceError, ToolError
from kbuild.process.environment import EVENTS_VARIABLE
from kbuild.process.repetition import select_new

_MISSING = "k.cu:1:3: error: 'x' is missing\n"
_OTHER = "k.cu:2:3: error: 'y' is missing\n"


def test_errors_are_reported_once_for_each_build(tmp_path: Path) -> None:
    record = tmp_path / "reported.json"
    first = ToolError("c++ failed", log=_MISSING, command=("c++",))

    found = select_new(first, record, "k.cu for a")
    assert str(found) == str(first).replace("\n\n", "\n")
    assert isinstance(found, ToolError)
    assert found.command == ("c++",)
    assert str(select_new(first, record, "k.cu for b")) == "k.cu for b: the same errors as above"
    third = ToolError("c++ failed", log=_MISSING + _OTHER)
    assert str(select_new(third, record, "k.cu for c")) == f"{_OTHER}c++ failed"

    assert _MISSING in str(select_new(first, record, "k.cu for b"))  # the next build
    content = json.loads(record.read_text())
    assert content["edges"] == ["k.cu for b"]
    record.write_text(json.dumps({**content, "build": "another process"}))
    assert _MISSING in str(select_new(first, record, "k.cu for a"))


def test_only_errors_of_sources_can_be_repetitions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = tmp_path / "reported.json"
    wrong = SourceError("k.cu:3: no kernel")

    assert str(select_new(wrong, record, "a")) == str(wrong)
    assert str(select_new(wrong, record, "b")) == "b: the same errors as above"
    settings = ConfigurationError("unknown architecture")
    assert select_new(settings, record, "c") is settings
    monkeypatch.setenv(EVENTS_VARIABLE, str(tmp_path / "events"))
    assert select_new(wrong, record, "d") is wrong
