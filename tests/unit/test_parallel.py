"""Tests for work in forked processes and in threads."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from kbuild import parallel
from kbuild.errors import InputError
from kbuild.parallel import call_in_child, count_cores, map_in_order, map_in_threads


def test_results_of_several_processes_are_in_order() -> None:
    values = list(range(100))
    factor = 3
    results = list(map_in_order(lambda value: (factor * value, os.getpid()), values, jobs=2))
    assert [number for number, _ in results] == [3 * value for value in values]
    assert os.getpid() not in {process for _, process in results}


@pytest.mark.parametrize(("values", "jobs"), [([], 4), ([7], 4), ([7, 8], 1)])
def test_little_work_does_not_fork(values: list[int], jobs: int) -> None:
    results = map_in_order(lambda value: (value, os.getpid()), values, jobs=jobs)
    assert list(results) == [(value, os.getpid()) for value in values]


def test_exception_of_the_function_reaches_the_caller() -> None:
    def refuse(value: int) -> int:
        raise InputError(f"value {value}")

    with pytest.raises(InputError, match="value 0"):
        list(map_in_order(refuse, [0, 1, 2, 3], jobs=2))


def test_killed_process_is_an_error() -> None:
    def die(value: int) -> int:
        if value == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    with pytest.raises(InputError, match="died"):
        list(map_in_order(die, [0, 1, 2, 3], jobs=2))


def test_call_in_child_can_fork_and_returns_its_result() -> None:
    def work() -> tuple[int, list[int]]:
        return os.getpid(), list(map_in_order(abs, [-1, -2, -3], jobs=2))

    process, found = call_in_child(work)

    assert process != os.getpid()
    assert found == [1, 2, 3]


def test_errors_in_a_child_reach_the_caller() -> None:
    def refuse() -> None:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        call_in_child(refuse)
    with pytest.raises(InputError, match="died"):
        call_in_child(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_count_of_cores_is_plausible() -> None:
    assert 1 <= count_cores() <= (os.cpu_count() or 1)


def test_threads_work_at_the_same_time_and_keep_the_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "count_cores", lambda: 3)
    meeting = threading.Barrier(3)

    def meet(value: int) -> int:
        meeting.wait(timeout=60)
        return 2 * value

    assert map_in_threads(meet, range(3)) == (0, 2, 4)


@pytest.mark.parametrize(("cores", "values"), [(1, [7, 8]), (4, [7]), (4, [])])
def test_little_work_starts_no_thread(
    monkeypatch: pytest.MonkeyPatch, cores: int, values: list[int]
) -> None:
    monkeypatch.setattr(parallel, "count_cores", lambda: cores)
    found = map_in_threads(lambda value: (value, threading.get_ident()), values)
    assert found == tuple((value, threading.get_ident()) for value in values)


def test_first_error_of_threads_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "count_cores", lambda: 2)

    def refuse(value: int) -> int:
        raise InputError(f"value {value}")

    with pytest.raises(InputError, match="value 0"):
        map_in_threads(refuse, [0, 1, 2, 3])
