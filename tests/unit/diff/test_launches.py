"""Tests for comparing how often runs launch kernels."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from kbuild.diff.launches import compare_launches
from kbuild.diff.model import FunctionChange, LaunchChange

CHANGE = FunctionChange(
    status="changed",
    backend="cpu",
    arch="x86-64",
    kind="elf",
    is_kernel=True,
    old_name="k1",
    new_name="k2",
    old_display="k1()",
    new_display="k2()",
)


def write(directory: Path, launches: Sequence[tuple[str, str]]) -> Path:
    for test, kernel in launches:
        place = directory / test
        place.mkdir(parents=True, exist_ok=True)
        with (place / ".kbuild-launches").open("a") as file:
            file.write(json.dumps((test, kernel)) + "\n")
    return directory


def test_other_numbers_of_launches_are_differences(tmp_path: Path) -> None:
    old = write(tmp_path / "old", [("a", "f()"), ("a", "g()"), ("b", "f()")])
    new = write(tmp_path / "new", [("a", "g()"), ("a", "f()"), ("b", "f()"), ("b", "f()")])

    assert compare_launches(old, old, ()) == ()
    assert compare_launches(old, new, ()) == (LaunchChange(test="b", kernel="f()", old=1, new=2),)


def test_kernels_with_another_name_are_the_same(tmp_path: Path) -> None:
    old = write(tmp_path / "old", [("", "k1()")])
    new = write(tmp_path / "new", [("", "k2()")])

    assert compare_launches(old, new, (replace(CHANGE, status="renamed"),)) == ()
    assert [(c.old, c.new) for c in compare_launches(old, new, (CHANGE,))] == [(1, 0), (0, 1)]
