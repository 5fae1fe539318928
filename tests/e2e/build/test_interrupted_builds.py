"""Builds that are disturbed or killed. The next build must be correct."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import GENERATORS, KBUILD, ROOT, build, configure, run, run_kbuild, succeed
from support.standalone import StandaloneProject

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(edited LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES k.cu ARCHITECTURES x86-64)
"""
# Edits the source after the compiler has read it, as an editor might.
COMPILER = """\
#!/bin/sh
g++ "$@"
status=$?
cd '{directory}'
case "$*" in *k.cu*) mv next.cu k.cu 2>/dev/null && touch k.cu ;; esac
exit $status
"""


@pytest.mark.slow
@pytest.mark.parametrize("generator", GENERATORS)
def test_source_that_is_edited_during_its_compile_is_compiled_again(
    tmp_path: Path, generator: str
) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(COMPILER.format(directory=tmp_path))
    compiler.chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "k.cu").write_text("__global__ void before(int* p) { *p = 1; }\n")
    directory = tmp_path / "build"
    settings = (f"CMAKE_CXX_COMPILER={compiler}",)
    succeed(configure(tmp_path, directory, *settings, generator=generator))
    (tmp_path / "next.cu").write_text("__global__ void after(int* p) { *p = 2; }\n")

    succeed(build(directory))
    assert "_Z6beforePi" in succeed(run("nm", "-D", directory / "libkernels.so"))
    succeed(build(directory))

    assert "_Z5afterPi" in succeed(run("nm", "-D", directory / "libkernels.so"))


KILLS = 24
SEED = 20


@pytest.mark.slow
def test_next_run_after_a_kill_at_any_time_is_correct(tmp_path: Path) -> None:
    counts = tmp_path / "kills.json"
    words = ("-m", "fuzz", "kill", "--count", KILLS, "--seed", SEED, "-o", counts)

    succeed(run(sys.executable, *words, cwd=ROOT))

    summary = json.loads(counts.read_text())
    assert (summary["kills"], summary["failures"]) == (KILLS, 0)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of 300 KB, which is too small for a build."""
    directory = tmp_path / "small"
    directory.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=300k", "tmpfs", directory],
        capture_output=True,
        text=True,
        check=False,
    )
    if mounted.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    yield directory
    subprocess.run(["umount", "--lazy", directory], check=True)


@pytest.mark.slow
@pytest.mark.parametrize("room", ["300k", "700k"])
def test_full_disk_is_reported_and_the_next_build_is_correct(small_disk: Path, room: str) -> None:
    project = StandaloneProject(root=small_disk / "project")
    project.write()
    subprocess.run(["mount", "-o", f"remount,size={room}", small_disk], check=True)

    failed = run_kbuild("build", cwd=project.root)

    assert failed.returncode != 0
    last = failed.stderr.strip().splitlines()[-1]
    assert last.startswith("kbuild: error: ")
    assert "No space left on device" in last
    assert "Traceback" not in failed.stderr
    subprocess.run(["mount", "-o", "remount,size=64m", small_disk], check=True)
    succeed(run_kbuild("build", cwd=project.root))
    once = project.digest()
    shutil.rmtree(project.output)
    succeed(run_kbuild("build", cwd=project.root))
    assert project.digest() == once


WAITING_COMPILER = """\
#!/bin/sh
case "$*" in *k.cu*) touch '{directory}/compiling'
while [ -e '{directory}/hold' ]; do sleep 0.05; done;; esac
exec g++ "$@"
"""


def test_build_waits_for_processes_of_a_killed_build(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text(WAITING_COMPILER.format(directory=tmp_path))
    compiler.chmod(0o755)
    (tmp_path / "k.cu").write_text("__global__ void k(int* p) { *p = 1; }\n")
    (tmp_path / "kbuild.toml").write_text(
        '[target.k]\nsources = ["k.cu"]\narchitectures = ["x86-64"]\n'
    )
    (tmp_path / "hold").touch()
    environment = os.environ | {"CXX": str(compiler)}

    def start() -> subprocess.Popen[str]:
        return subprocess.Popen(
            [KBUILD, "build"],
            cwd=tmp_path,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    first = start()
    while not (tmp_path / "compiling").exists():
        assert first.poll() is None
        time.sleep(0.05)
    first.kill()
    first.wait()
    second = start()
    assert second.stderr is not None
    line = second.stderr.readline()
    (tmp_path / "hold").unlink()
    _, rest = second.communicate()
    assert first.stderr is not None
    first.stderr.close()

    assert f"waiting for another kbuild (process {first.pid})" in line
    assert second.returncode == 0, rest
    assert "_Z1kPi" in succeed(run("nm", "-D", tmp_path / "build/kbuild/k/libk.so"))
