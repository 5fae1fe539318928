"""Stubs of CUDA and HIP kernels in gdb, on a machine without a device."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import configure_and_build, run, succeed
from support.tools.gdb_sessions import (
    DEBUGGER,
    POINTER,
    check_stub,
    list_frames,
    needs_gdb,
    run_gdb,
)
from support.tools.nvidia_compiler import needs_nvcc
from support.tools.toolchains import needs_backend

pytestmark = needs_gdb


def check_without_device(program: Path, *before: str) -> None:
    """Check that gdb stops in the stub with a complete frame, even if the launch then fails."""
    printed = run_gdb(
        *before,
        *("break saxpy", "break __device_stub__saxpy", "run", "info args", "bt", "continue"),
        "info breakpoints",
        files=(program,),
    )[len(before) :]

    assert re.fullmatch(rf"n = 1000\na = 2\nx = {POINTER}\ny = {POINTER}", printed[3]), printed
    arguments = f"n=1000, a=2, x={POINTER}, y={POINTER}"
    check_stub(list_frames(printed[4]), "__device_stub__saxpy", arguments, "saxpy")
    assert "exited" in printed[5]
    assert re.search(r"^1 .*<PENDING> +saxpy$", printed[6], re.MULTILINE)


@pytest.mark.slow  # test_debugger.py shows the stubs of the cpu backend
@needs_nvcc
@pytest.mark.parametrize("kind", ["SHARED", "STATIC"])
def test_stubs_of_cuda_kernels(tmp_path: Path, kind: str) -> None:
    configure_and_build(
        *(DEBUGGER, tmp_path, "BACKEND=cuda", "ARCHITECTURES=90-real", f"KINDS={kind}"),
        *("MODES=pie", "CMAKE_BUILD_TYPE=Release"),
    )

    check_without_device(tmp_path / f"{kind}_pie")


@pytest.mark.slow
@needs_backend("hip")
@pytest.mark.parametrize("kind", ["STATIC", "SHARED"])
def test_stubs_of_hip_kernels(tmp_path: Path, kind: str) -> None:
    """Replace the function that pushes a configuration, which fails without a device."""
    configure_and_build(
        *(DEBUGGER, tmp_path, "BACKEND=hip", "ARCHITECTURES=gfx90a", f"KINDS={kind}"),
        *("MODES=pie", "CMAKE_BUILD_TYPE=Release"),
    )
    source, library = tmp_path / "push.c", tmp_path / "libpush.so"
    source.write_text("int __hipPushCallConfiguration(void) { return 0; }\n")
    succeed(run("gcc", "-shared", "-fPIC", source, "-o", library))

    check_without_device(tmp_path / f"{kind}_pie", f"set environment LD_PRELOAD={library}")
