"""The CPU backend computes what a GPU computes: the sources of ``tests/conformance``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from support.commands import run_kbuild
from support.conformance import SOURCES, compare_results

# The others compile for up to 20 seconds.
_QUICK: Final = ("grid_sync",)


def _mark(source: Path) -> object:
    marks = () if source.stem in _QUICK else (pytest.mark.slow,)
    return pytest.param(source, id=source.stem, marks=marks)


@pytest.mark.parametrize("source", [_mark(source) for source in SOURCES])
def test_results_are_those_of_a_gpu(source: Path) -> None:
    options = ("--backend", "cpu", "--device-options=-ffp-contract=off")
    done = run_kbuild("run", *options, source)
    assert done.returncode == 0, done.stderr

    assert compare_results(done.stdout, source.with_suffix(".txt").read_text()) == []
