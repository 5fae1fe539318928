"""Kills commands at random points, and checks what they leave and what the next run makes."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from fuzz.kills.operation import Digests, FailedRunError, Operation, run_command
from fuzz.kills.operations import OPERATIONS

SCHEMA: Final = "kbuild.kills/1"

# Inputs and states alternate; see Operation.prepare.
_STATES: Final = 4
# A command can end before it is killed. Such a run does not count.
_ATTEMPTS_PER_KILL: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class KillCounts:
    """The results for one operation.

    Attributes:
        operation: Its name.
        kills: The number of runs that were killed.
        partial_files: The kills that left an incomplete file under its final name.
        has_atomic_outputs: Whether incomplete files are a failure; see `Operation`.
        failed_runs: The kills after which the next run failed.
        wrong_results: The kills after which the next run succeeded with other files.
        seconds: The time of all runs.
        problems: One line for each failure.
    """

    operation: str
    kills: int
    partial_files: int
    has_atomic_outputs: bool
    failed_runs: int
    wrong_results: int
    seconds: float
    problems: tuple[str, ...]


class _KillTest:
    """The kills of one operation."""

    def __init__(self, operation: Operation, chance: random.Random) -> None:
        self._operation = operation
        self._chance = chance
        self._expected: list[Digests] = []
        self._durations: list[float] = []
        self._counts = dict.fromkeys(("partial_files", "failed_runs", "wrong_results"), 0)
        self._problems: list[str] = []

    def run(self, count: int) -> KillCounts:
        start = time.monotonic()
        self._run_undisturbed()
        kills = attempt = 0
        while kills < count:
            if attempt == count * _ATTEMPTS_PER_KILL:
                raise FailedRunError(f"{self._operation.name}: most runs ended before the kill")
            kills += self._kill(attempt)
            attempt += 1
        return KillCounts(
            operation=self._operation.name,
            kills=kills,
            has_atomic_outputs=self._operation.has_atomic_outputs,
            seconds=round(time.monotonic() - start, 1),
            problems=tuple(self._problems),
            **self._counts,
        )

    def _run_undisturbed(self) -> None:
        """Measure each state once, and note the correct outputs."""
        for number in range(_STATES):
            self._operation.prepare(number)
            start = time.monotonic()
            run_command(self._operation.command, self._operation.directory)
            self._durations.append(time.monotonic() - start)
            self._expected.append(self._operation.digest())
        for first, again in zip(self._expected[:2], self._expected[2:], strict=True):
            if first != again or not first:
                raise FailedRunError(f"{self._operation.name}: two undisturbed runs differ")

    def _kill(self, attempt: int) -> bool:
        """Run and kill the command once. Return False if it ended before the kill."""
        state = attempt % _STATES
        self._operation.prepare(attempt)
        delay = self._chance.uniform(0, self._durations[state])
        is_whole = self._operation.is_group_killed or self._chance.random() < 0.75
        taken = _run_and_kill(self._operation, delay, is_whole=is_whole)
        if taken is not None:
            self._durations[state] = min(self._durations[state], taken)
            return False
        where = f"{self._operation.name}, state {state}, killed after {delay:.3f} s"
        if is_whole:
            self._check_outputs(where)
        self._check_next_run(where, self._expected[state])
        return True

    def _check_outputs(self, where: str) -> None:
        for name, digest in self._operation.digest().items():
            if Path(name).name.startswith("."):
                continue  # a temporary file
            if digest not in (known.get(name) for known in self._expected):
                self._report("partial_files", f"{where}: {name} is incomplete")
                return

    def _check_next_run(self, where: str, expected: Digests) -> None:
        try:
            run_command(self._operation.command, self._operation.directory)
        except FailedRunError as error:
            self._report("failed_runs", f"{where}: {error}")
            return
        found = self._operation.digest()
        if found != expected:
            names = sorted(name for name, _ in set(found.items()) ^ set(expected.items()))
            self._report("wrong_results", f"{where}: {', '.join(names)}")

    def _report(self, count: str, problem: str) -> None:
        self._counts[count] += 1
        self._problems.append(problem)


def _run_and_kill(operation: Operation, delay: float, *, is_whole: bool) -> float | None:
    """Kill a command after a delay.

    Args:
        operation: The operation.
        delay: The delay, in seconds.
        is_whole: Whether to kill all processes of the command, or only the first one.

    Returns:
        The duration of the command in seconds, or None if it was killed.
    """
    start = time.monotonic()
    process = subprocess.Popen(
        operation.command,
        cwd=operation.directory,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(delay)
    if process.returncode is not None:
        return time.monotonic() - start
    with contextlib.suppress(ProcessLookupError):
        if is_whole:
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()
    return None


def run_kills(
    root: Path,
    names: Sequence[str],
    count: int,
    seed: int,
    report: Callable[[KillCounts], None],
) -> tuple[KillCounts, ...]:
    """Kill operations equally often.

    Args:
        root: An empty directory.
        names: Keys of `OPERATIONS`.
        count: The number of kills of all operations together.
        seed: The seed of the delays.
        report: Receives the result of each operation at once.
    """
    results = []
    for name, share in zip(names, _divide(count, len(names)), strict=True):
        makers = OPERATIONS[name]
        for position, own in enumerate(_divide(share, len(makers))):
            if own == 0:
                continue
            chance = random.Random(f"{seed}:{name}:{position}")  # noqa: S311 - not for secrets
            result = _KillTest(makers[position](root), chance).run(own)
            report(result)
            results.append(result)
    return tuple(results)


def _divide(count: int, parts: int) -> tuple[int, ...]:
    """Return numbers whose sum is ``count``, and which differ by at most one."""
    return tuple(count * (n + 1) // parts - count * n // parts for n in range(parts))


def count_failures(results: tuple[KillCounts, ...]) -> int:
    """Return the number of kills with a problem."""
    return sum(
        row.failed_runs + row.wrong_results + row.partial_files * row.has_atomic_outputs
        for row in results
    )


def format_kills(results: tuple[KillCounts, ...]) -> str:
    """Return the counts as a table."""
    names = ("kills", "partial_files", "failed_runs", "wrong_results")
    lines = [f"{'operation':26}{''.join(f'{name:>16}' for name in names)}{'seconds':>10}"]
    for row in results:
        counts = "".join(f"{getattr(row, name):16}" for name in names)
        lines.append(f"{row.operation:26}{counts}{row.seconds:10}")
    total = "".join(f"{sum(getattr(row, name) for row in results):16}" for name in names)
    lines.append(f"{'all':26}{total}{round(sum(row.seconds for row in results), 1):10}")
    return "\n".join(lines)


def write_kills(path: Path, results: tuple[KillCounts, ...], seed: int) -> None:
    """Write the counts as JSON."""
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "seed": seed,
        "kills": sum(row.kills for row in results),
        "failures": count_failures(results),
        "operations": [asdict(row) for row in results],
    }
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
