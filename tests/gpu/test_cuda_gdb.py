"""cuda-gdb on a real GPU: breakpoints on kernel names and on stub names."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.devices import list_devices
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import PROJECTS

PROJECT = PROJECTS / "debugger"
KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))
POINTER = "0x[0-9a-f]+"
SAXPY = rf"n=1000, a=2, x={POINTER}, y={POINTER}"


def find_debugger() -> tuple[str, str]:
    """Return the path of cuda-gdb, or an empty path and the reason."""
    if not list_devices():
        return "", "no NVIDIA device"
    try:
        beside = find_toolchain(cuda, gather_hints()).compiler.resolve().with_name("cuda-gdb")
    except ToolchainError as error:
        return "", str(error)
    found = shutil.which("cuda-gdb") or shutil.which(str(beside))
    return (found, "") if found else ("", f"no cuda-gdb on PATH or beside {beside.parent}/nvcc")


CUDA_GDB, NO_CUDA_GDB = find_debugger()
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(NO_CUDA_GDB), reason=NO_CUDA_GDB or "cuda-gdb is there"),
]


def run(*argv: object) -> str:
    done = subprocess.run(
        [str(word) for word in argv],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module", params=["STATIC", "SHARED"])
def program(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("debugger")
    architecture = list_devices()[0].architecture.removeprefix("sm_")
    run(
        *("cmake", "-S", PROJECT, "-B", directory, "-G", "Ninja"),
        f"-Dkbuild_DIR={resources.cmake_directory()}",
        f"-DKBUILD_EXECUTABLE={KBUILD}",
        *("-DBACKEND=cuda", f"-DARCHITECTURES={architecture}-real", "-DCMAKE_BUILD_TYPE=Debug"),
        *(f"-DKINDS={request.param}", "-DMODES=pie"),
    )
    run("cmake", "--build", directory)
    return directory / f"{request.param}_pie"


def debug(program: Path, *commands: str) -> str:
    words = [word for command in commands for word in ("-ex", command)]
    settings = ("-ex", "set breakpoint pending on", "-ex", "set pagination off")
    return run(CUDA_GDB, "--batch", "-nx", *settings, *words, program)


def test_breakpoint_on_a_kernel_name_stops_in_the_kernel(program: Path) -> None:
    output = debug(
        *(program, "start", "break saxpy", "continue", "info breakpoints", "info args"),
        *("print threadIdx.x", "print blockDim.x", "info cuda kernels"),
    )

    # It must stop in the device code, not at the handle or the stub of the host.
    assert re.search(rf"hit Breakpoint 2,? saxpy<<<\(4,1,1\),\(256,1,1\)>>> \({SAXPY}\)", output)
    (row,) = re.findall(r"^2 +breakpoint .*$", output, re.MULTILINE)
    assert "kernels.cu:" in row
    assert "_stub.cpp" not in output
    assert re.search(r"^n = 1000$", output, re.MULTILINE)
    assert "$1 = 0" in output
    assert "$2 = 256" in output


def test_breakpoint_on_a_stub_name_stops_in_the_stub(program: Path) -> None:
    output = debug(
        *(program, "break __device_stub__saxpy", "break ns::__device_stub__scale", "run"),
        *("info args", "bt", "continue"),
    )

    assert re.search(rf"Breakpoint 1,? __device_stub__saxpy \({SAXPY}\) at .*_stub\.cpp", output)
    assert re.search(r"#\d+ .*launch_saxpy \(.*\) at .*main\.cpp:\d+", output)
    assert re.search(r"Breakpoint 2,? ns::__device_stub__scale \(to=0x", output)
