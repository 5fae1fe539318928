"""Build a copy of a project, and run its tests."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cuda_samples.execute import execute
from benchmarks.measure import Cost
from benchmarks.projects.plan import Side, Test

PASSED, FAILED, TIMED_OUT = "passed", "failed", "timed out"
# The lines of a failed build that a result keeps.
_KEPT_LINES = 60
_NOTHING = Cost(wall=0, processor=0)


@dataclass(frozen=True, slots=True, kw_only=True)
class TestResult:
    """What became of a test."""

    name: str
    status: str
    seconds: float
    summary: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SideResult:
    """What became of one side.

    Attributes:
        name: The name of the side.
        configure: The cost of its configuration.
        build: The cost of its build.
        log: The end of the output of the command that failed; empty if everything was built.
        tests: The results of the tests, if everything was built.
    """

    name: str
    configure: Cost
    build: Cost
    log: str = ""
    tests: tuple[TestResult, ...] = ()


def try_side(
    side: Side,
    tests: Sequence[Test],
    checkout: Path,
    directory: Path,
    values: Mapping[str, str],
) -> SideResult:
    """Build a copy of the checkout in ``directory``, and run the tests.

    If the copy exists, its build is continued.
    """
    source, build = directory / "source", directory / "build"
    places = {**values, "source": str(source), "build": str(build)}
    if not source.exists():
        copy_checkout(checkout, source, Path(places["plan"]) / side.patch if side.patch else None)
    build.mkdir(parents=True, exist_ok=True)
    variables = fill(list(side.environment.values()), places)
    environment = {**os.environ, **dict(zip(side.environment, variables, strict=True))}
    configure, log = measure(fill(side.configure, places), source, environment)
    if log:
        return SideResult(name=side.name, configure=configure, build=_NOTHING, log=log)
    cost, log = measure(fill(side.build, places), source, environment)
    if log:
        return SideResult(name=side.name, configure=configure, build=cost, log=log)
    results = tuple(run_test(test, places, environment) for test in tests)
    return SideResult(name=side.name, configure=configure, build=cost, tests=results)


def copy_checkout(checkout: Path, directory: Path, patch: Path | None) -> None:
    """Copy a checkout, and change its build files."""
    shutil.copytree(checkout, directory, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    if patch:
        command = ["patch", "-p1", "--no-backup-if-mismatch", "-i", str(patch.resolve())]
        done = subprocess.run(command, cwd=directory, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            shutil.rmtree(directory)
            raise SystemExit(f"{patch} does not apply to {checkout}:\n{done.stdout}{done.stderr}")


def fill(words: Sequence[str], places: Mapping[str, str]) -> list[str]:
    """Replace the placeholders in words."""
    return [re.sub(r"\{(\w+)\}", lambda match: places[match[1]], word) for word in words]


def measure(
    command: Sequence[str], directory: Path, environment: Mapping[str, str]
) -> tuple[Cost, str]:
    """Return what a command costs, and the end of its output if it fails."""
    if not command:
        return _NOTHING, ""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=directory,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    log = "" if done.returncode == 0 else done.stdout or f"exit code {done.returncode}"
    return Cost(wall=wall, processor=processor), "\n".join(log.splitlines()[-_KEPT_LINES:])


def run_test(test: Test, places: Mapping[str, str], environment: Mapping[str, str]) -> TestResult:
    """Run a test for at most its time limit."""
    (directory,) = fill([test.directory], places)
    outcome = execute(tuple(fill(test.command, places)), Path(directory), test.limit, environment)
    lines = [line.strip() for line in outcome.output.splitlines()]
    found = [line for line in lines if re.search(test.summary, line)]
    status = {0: PASSED, None: TIMED_OUT}.get(outcome.code, FAILED)
    summary = found[-1] if found else ""
    if status == FAILED:
        summary = f"exit code {outcome.code}; {summary or ' / '.join(lines[-3:])}"
    return TestResult(
        name=test.name, status=status, seconds=round(outcome.seconds, 2), summary=summary[:300]
    )
