from __future__ import annotations

import os
import signal

import pytest

from kbuild.errors import InputError
from kbuild.parallel import call_apart, count_cores, map_in_order


def test_results_are_in_order_and_of_other_processes() -> None:
    values = list(range(100))
    factor = 3
    results = list(map_in_order(lambda value: (factor * value, os.getpid()), values, jobs=2))
    assert [number for number, _ in results] == [3 * value for value in values]
    assert os.getpid() not in {process for _, process in results}


@pytest.mark.parametrize(("values", "jobs"), [([], 4), ([7], 4), ([7, 8], 1)])
def test_little_work_stays_here(values: list[int], jobs: int) -> None:
    results = map_in_order(lambda value: (value, os.getpid()), values, jobs=jobs)
    assert list(results) == [(value, os.getpid()) for value in values]


def test_what_is_raised_there_is_raised_here() -> None:
    def refuse(value: int) -> int:
        raise InputError(f"value {value}")

    with pytest.raises(InputError, match="value 0"):
        list(map_in_order(refuse, [0, 1, 2, 3], jobs=2))


def test_a_process_that_dies_is_an_error_not_a_hang() -> None:
    def die(value: int) -> int:
        if value == 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    with pytest.raises(InputError, match="died"):
        list(map_in_order(die, [0, 1, 2, 3], jobs=2))


def test_a_call_apart_forks_on_and_returns_here() -> None:
    def work() -> tuple[int, list[int]]:
        return os.getpid(), list(map_in_order(abs, [-1, -2, -3], jobs=2))

    process, found = call_apart(work)

    assert process != os.getpid()
    assert found == [1, 2, 3]


def test_a_call_apart_fails_here() -> None:
    def refuse() -> None:
        raise InputError("no")

    with pytest.raises(InputError, match="no"):
        call_apart(refuse)
    with pytest.raises(InputError, match="died"):
        call_apart(lambda: os.kill(os.getpid(), signal.SIGKILL))


def test_there_is_a_core() -> None:
    assert 1 <= count_cores() <= (os.cpu_count() or 1)
