"""The CPU backend computes what a GPU computes: the sources of ``tests/conformance``."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import run_kbuild
from support.conformance import SOURCES, compare_results


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_results_are_those_of_a_gpu(source: Path) -> None:
    options = ("--backend", "cpu", "--device-options=-ffp-contract=off")
    done = run_kbuild("run", *options, source)
    assert done.returncode == 0, done.stderr

    assert compare_results(done.stdout, source.with_suffix(".txt").read_text()) == []
