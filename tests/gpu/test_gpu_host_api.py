"""NVIDIA's runtime and the CPU backend do the same, and report the same errors."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.toolchain.devices import list_devices
from kbuild.toolchain.find import find_toolchain, gather_hints

HERE = Path(__file__).parent / "host_api"
KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not list_devices(), reason="no NVIDIA device"),
]


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
@pytest.mark.parametrize(
    "name", ["mistakes", "streams", "graphs", "launches", "references", "symbols"]
)
def test_programs_print_what_was_recorded(name: str, backend: str) -> None:
    done = subprocess.run(
        [KBUILD, "run", "--backend", backend, HERE / f"{name}.cu"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == (HERE / f"{name}.txt").read_text()


@pytest.mark.parametrize("compiler", ["kbuild", "nvcc"])
@pytest.mark.parametrize("order", [("first", "second"), ("second", "first")])
def test_copies_reach_the_variable_of_the_source_that_is_linked_first(
    tmp_path: Path, order: tuple[str, str], compiler: str
) -> None:
    directory = HERE / "two_images"
    sources = [*(directory / f"{name}.cu" for name in order), directory / "main.cpp"]
    command: list[str | Path] = [KBUILD, "run", "--backend", "cuda", *sources]
    if compiler == "nvcc":
        nvcc = find_toolchain(cuda, gather_hints()).compiler
        command = [tmp_path / "program"]
        subprocess.run([nvcc, "-std=c++17", *sources, "-o", *command], check=True)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    values = {"first": ("40, 3", "50, 3"), "second": ("3, 40", "3, 50")}[order[0]]
    assert done.stdout.splitlines() == ["3, 3", *(f"0: {value}" for value in values)]
