"""NVIDIA's runtime and the CPU backend report the same errors for the same mistakes."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild.toolchain.devices import list_devices

HERE = Path(__file__).parent / "host_api"
KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not list_devices(), reason="no NVIDIA device"),
]


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_mistakes_have_the_recorded_errors(backend: str) -> None:
    done = subprocess.run(
        [KBUILD, "run", "--backend", backend, HERE / "mistakes.cu"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (HERE / "mistakes.txt").read_text()
