"""Paired measurements: two sides timed in turns, shown as a ratio with its quartiles."""

from __future__ import annotations

import os
import platform
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")


def header(unit: str) -> str:
    """Return the line above the rows of `show`, for times in a unit."""
    times = f"{f'kbuild {unit}':>12}{f'peer {unit}':>12}"
    return f"{'case':<28}{times}{'ratio':>9}{'quartiles':>22}{'pairs':>7}  peer"


HEADER = header("ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The times of both sides of a case, usually in seconds.

    Items with the same index were measured in turn.
    """

    case: str
    peer_name: str
    ours: tuple[float, ...]
    peer: tuple[float, ...]

    @property
    def ratios(self) -> tuple[float, ...]:
        return tuple(a / b for a, b in zip(self.ours, self.peer, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a step: seconds of wall time, and seconds of all processors together."""

    wall: float
    processor: float


def show(comparison: Comparison, scale: float = 1e3) -> None:
    """Print a row below `HEADER`: the medians, and the median and quartiles of the ratios.

    Args:
        comparison: The times.
        scale: How many of the header's units the unit of the times is.
    """
    ratios = comparison.ratios
    low, _, high = (
        statistics.quantiles(ratios, n=4, method="inclusive") if len(ratios) > 1 else ratios * 3
    )
    print(
        f"{comparison.case:<28}"
        f"{statistics.median(comparison.ours) * scale:>12.4g}"
        f"{statistics.median(comparison.peer) * scale:>12.4g}"
        f"{statistics.median(ratios):>9.2f}"
        f"{f'{low:.2f} .. {high:.2f}':>22}"
        f"{len(ratios):>7}  {comparison.peer_name}",
        flush=True,
    )


def interleave(sides: Mapping[str, Callable[[], T]], repetitions: int) -> dict[str, tuple[T, ...]]:
    """Measure the sides in turns after one warm-up, and return what each one took."""
    for measure in sides.values():
        measure()
    taken: dict[str, list[T]] = {name: [] for name in sides}
    for _ in range(repetitions):
        for name, measure in sides.items():
            taken[name].append(measure())
    return {name: tuple(measured) for name, measured in taken.items()}


def time_call(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def time_command(argv: Sequence[object], directory: Path | None = None) -> float:
    """Return the seconds that a command takes; exit with its output if it fails."""
    words = [str(word) for word in argv]
    start = time.perf_counter()
    done = subprocess.run(
        words,
        cwd=directory,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(words)} failed:\n{done.stdout}")
    return seconds


def measure_command(argv: Sequence[object], directory: Path | None = None) -> Cost:
    """Return what a command costs, with the processes that it starts; exit if it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time_command(argv, directory)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall=wall, processor=spent)


def describe_machine() -> str:
    """Describe the machine, because figures mean nothing without it."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    cores = len(os.sched_getaffinity(0))
    load = os.getloadavg()[0]
    return f"{model}, {cores} cores (load {load:.1f}), Python {platform.python_version()}"
