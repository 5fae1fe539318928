"""Tests for what the review of a text says."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from kbuild.backends.interface.mixed import Diagnosis, Remark
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError
from kbuild.model import Command
from kbuild.stages.mixed.diagnosis import review

REMARKS = (Remark(place="a.cu:1:2", text="first", is_error=False),)
ERROR = Remark(place="a.cu:3:4", text="second", is_error=True)


def describe(directory: Path, script: str) -> Diagnosis:
    """Return a compile that is a script of the shell."""
    return Diagnosis(
        command=Command(argv=("sh", "-c", script)), text=directory / "text.cpp", content=""
    )


def run_review(
    directory: Path, script: str, diagnosis: str = "", remarks: tuple[Remark, ...] = REMARKS
) -> str:
    """Review the text of a host pass with scripts instead of compilers."""
    passes: Any = SimpleNamespace(
        describe_review=lambda *_: describe(directory, script),
        describe_diagnosis=lambda *_: describe(directory, diagnosis),
        read_review=lambda *_: iter(remarks),
    )
    unit: Any = SimpleNamespace(display_source="a.cu")
    tc: Any = None
    return review(Unit(""), unit, tc, passes)


def test_warnings_are_returned(tmp_path: Path) -> None:
    assert run_review(tmp_path, "true") == "a.cu:1:2: warning: first\n"


def test_errors_are_raised(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"^a.cu:3:4: second$"):
        run_review(tmp_path, "true", remarks=(*REMARKS, ERROR))


def test_a_text_that_cannot_be_reviewed_has_a_warning(tmp_path: Path) -> None:
    warning = run_review(tmp_path, "echo 'a.cu:5:6: error: third' >&2; exit 1", "true")

    assert warning.startswith("a.cu: warning: kbuild does not check how host and device code use")
    assert warning.endswith("a.cu:5:6: error: third\n")


def test_a_text_that_is_wrong_has_no_warning(tmp_path: Path) -> None:
    assert run_review(tmp_path, "exit 1", "exit 1") == ""
