"""A GPU computes what ``tests/conformance`` recorded, with kbuild and the CUDA backend."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild.toolchain.devices import list_devices
from support.conformance import LAUNCHING, SOURCES, compare_results

KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not list_devices(), reason="no NVIDIA device"),
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.stem)
def test_results_are_recorded(source: Path) -> None:
    link = ("--rdc",) if source.stem in LAUNCHING else ()
    options = ("--backend", "cuda", "--device-options=-fmad=false", *link)
    done = subprocess.run(
        [KBUILD, "run", *options, source], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert compare_results(done.stdout, source.with_suffix(".txt").read_text()) == []
