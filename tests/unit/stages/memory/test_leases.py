"""Compiles of several processes share memory."""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Final

import pytest

from kbuild.stages.memory.leases import lease_memory

# Leases memory, says whether it was the first one to wait, and holds it until a line comes.
HOLD: Final = """\
import sys
from kbuild.stages.memory.leases import lease_memory
size, limit = map(int, sys.argv[1:])
with lease_memory(size, limit) as is_first:
    print(int(is_first), flush=True)
    sys.stdin.readline()
"""


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = tmp_path / "kbuild/memory" / os.uname().nodename
    found.mkdir(parents=True)
    return found


def hold(size: int, limit: int) -> subprocess.Popen[str]:
    argv = (sys.executable, "-c", HOLD, str(size), str(limit))
    return subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def wait_for_lease(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


def test_compiles_that_fit_do_not_wait(directory: Path) -> None:
    with lease_memory(3, 8) as first, lease_memory(5, 8) as second:
        assert (first, second) == (False, False)
        assert sorted(path.name.partition(".")[0] for path in directory.iterdir()) == [
            "3",
            "5",
            "queue",
        ]
    assert [path.name for path in directory.iterdir()] == ["queue"]


def test_a_compile_that_needs_more_than_there_is_runs_alone() -> None:
    with lease_memory(100, 8) as lease:
        assert not lease


def wait_for_queue(directory: Path) -> None:
    """Wait until a compile is at the head of the queue."""
    with (directory / "queue").open("a") as queue, contextlib.suppress(BlockingIOError):
        while True:
            fcntl.flock(queue, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.flock(queue, fcntl.LOCK_UN)
            time.sleep(0.02)


def wait_for_note(directory: Path) -> None:
    """Wait until a compile has noted the time at which it began to wait."""
    while not (directory / "queue").stat().st_size:
        time.sleep(0.02)


def test_a_compile_waits_until_others_end_and_says_so_once(directory: Path) -> None:
    found: list[bool] = []

    def take() -> None:
        with lease_memory(4, 8) as lease:
            found.append(lease)

    for count in range(2):
        thread = threading.Thread(target=take)
        with lease_memory(6, 8):
            thread.start()
            wait_for_queue(directory)
            wait_for_note(directory)
            assert len(found) == count
        thread.join()
    assert found == [True, False]


def test_small_compiles_do_not_pass_a_large_one(directory: Path) -> None:
    with (directory / "queue").open("a") as queue:  # as the large one does while it waits
        fcntl.flock(queue, fcntl.LOCK_EX)
        small = hold(1, 8)
        time.sleep(0.2)
        assert small.poll() is None
        assert [path.name for path in directory.iterdir()] == ["queue"]
    assert wait_for_lease(small) == "0\n"
    small.communicate("\n", timeout=60)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_lease_of_a_killed_process_ends(directory: Path, number: int) -> None:
    process = hold(8, 8)
    wait_for_lease(process)
    process.send_signal(number)
    process.communicate()

    with lease_memory(8, 8) as lease:
        assert not lease
        assert len(list(directory.iterdir())) == 2


def test_a_cache_that_cannot_be_written_limits_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    with lease_memory(8, 8), lease_memory(8, 8) as lease:
        assert not lease
