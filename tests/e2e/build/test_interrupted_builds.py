"""Builds that are disturbed or killed. The next build must be correct."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import GENERATORS, KBUILD, build, configure, run, run_kbuild, succeed
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
def test_build_after_a_kill_at_any_time_is_correct(tmp_path: Path) -> None:
    project = StandaloneProject(root=tmp_path / "project")
    project.write()
    expected = {value: _build_value(project, value) for value in (1, 2)}
    assert expected[1] != expected[2]
    generator = random.Random(SEED)  # noqa: S311 - not for secrets

    longest = {True: 4.0, False: 2.0}  # in seconds; adapted to builds that finish
    kills = 0
    for attempt in range(KILLS * 4):
        is_cold = attempt % 2 == 0
        if is_cold:
            shutil.rmtree(project.output)
        value = 1 + attempt // 2 % 2
        project.set_value(value)
        delay = generator.uniform(0.02, longest[is_cold])
        taken = _kill_build(project, delay)
        if taken is None:
            kills += 1
        else:
            longest[is_cold] = min(longest[is_cold], taken)
        if attempt % 3 == 2:  # the killed build is out of date
            value = 3 - value
            project.set_value(value)
        succeed(run_kbuild("build", cwd=project.root))
        assert project.digest() == expected[value], f"attempt {attempt}, after {delay:.3f} s"
        assert not _list_leftovers(project)
        if kills == KILLS:
            return
    pytest.fail(f"only {kills} builds were killed before they ended")


def _build_value(project: StandaloneProject, value: int) -> dict[str, str]:
    """Return the digests of a build that is not disturbed."""
    shutil.rmtree(project.output, ignore_errors=True)
    project.set_value(value)
    succeed(run_kbuild("build", cwd=project.root))
    return project.digest()


def _kill_build(project: StandaloneProject, delay: float) -> float | None:
    """Kill a build and its processes after a delay.

    Returns:
        The duration of the build in seconds, or None if it was killed.
    """
    start = time.monotonic()
    process = subprocess.Popen(
        [KBUILD, "build"],
        cwd=project.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(delay)
    if process.returncode is not None:
        return time.monotonic() - start
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return None


def _list_leftovers(project: StandaloneProject) -> list[Path]:
    """Return unexpected files beside the artifacts."""
    return [
        path
        for directory in ("shared_kernels", "object_kernels")
        for path in (project.output / directory).iterdir()
        if path.suffix not in (".so", ".o") and path.name != "include"
    ]


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
