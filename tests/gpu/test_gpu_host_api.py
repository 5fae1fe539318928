"""NVIDIA's runtime and the CPU backend do the same, and report the same errors."""

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
@pytest.mark.parametrize("name", ["mistakes", "streams", "graphs", "launches", "symbols"])
def test_programs_print_what_was_recorded(name: str, backend: str) -> None:
    done = subprocess.run(
        [KBUILD, "run", "--backend", backend, HERE / f"{name}.cu"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (HERE / f"{name}.txt").read_text()
