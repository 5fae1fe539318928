"""Run samples, and judge them by their exit codes and their own words."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.cuda_samples.results import FAILED, NOT_BUILT, PASSED, TIMED_OUT, WAIVED, Result
from benchmarks.cuda_samples.samples import Sample
from kbuild.check.processes import DIRECTORY, SELECTION, read_report
from kbuild.report.check.text import render_findings

# The samples' own EXIT_WAIVED: the machine lacks what the sample shows.
_WAIVED = 2
_FAILURE = re.compile(r"\bFAIL(ED)?\b|\b[Tt]est failed\b|Result = FAIL")
_ERROR = re.compile(r"error|fail|cannot", re.IGNORECASE)
# A line that names the cause; kbuild's line about a compiler that failed only quotes its command.
_BUILD_ERROR = re.compile(r"^(?!.* failed with exit status ).*(\b[Ee]rror\b|undefined reference)")
_KEPT_CHARACTERS = 3000


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How one run of a program ended; ``code`` is None if it exceeded the time limit."""

    code: int | None
    output: str
    seconds: float


def run_sample(
    sample: Sample,
    program: Path,
    directory: Path,
    limit: float,
    environment: Mapping[str, str] | None = None,
) -> Result:
    """Run the program once per list of arguments, until a run does not pass.

    Args:
        sample: The sample.
        program: Its program.
        directory: A copy of the sample's directory, where it finds its data.
        limit: The time limit of a run, in seconds.
        environment: The variables of its environment; None for those of this process.
    """
    seconds = 0.0
    for arguments in sample.runs:
        outcome = execute((str(program.resolve()), *arguments), directory, limit, environment)
        seconds += outcome.seconds
        status, detail = judge(outcome, limit)
        if status != PASSED:
            break
    log = "" if status == PASSED else outcome.output[-_KEPT_CHARACTERS:]
    return Result(
        directory=sample.directory, status=status, detail=detail, seconds=round(seconds, 2), log=log
    )


def check_sample(sample: Sample, program: Path, directory: Path, limit: float) -> Result:
    """Run the program with checks, as `run_sample` does, and list the findings."""
    with tempfile.TemporaryDirectory() as reports:
        environment = {**os.environ, DIRECTORY: reports, SELECTION: "all"}
        result = run_sample(sample, program, directory, limit, environment)
        report = read_report(Path(reports), program=sample.name, exit_status=0)
    texts = (render_findings((finding,)) for finding in report.findings)
    return replace(result, findings=tuple(texts))


def execute(
    argv: tuple[str, ...],
    directory: Path,
    limit: float,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Run a program and its children for at most ``limit`` seconds."""
    start = time.perf_counter()
    # A sample that starts other processes must not leave them behind.
    process = subprocess.Popen(
        argv,
        cwd=directory,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    code: int | None
    try:
        output, _ = process.communicate(timeout=limit)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        code = None
    seconds = time.perf_counter() - start
    return Outcome(code=code, output=output.decode(errors="replace"), seconds=seconds)


def judge(outcome: Outcome, limit: float) -> tuple[str, str]:
    """Return the status of a run and the reason for it."""
    lines = [line.strip() for line in outcome.output.splitlines() if line.strip()]
    last = lines[-1][:160] if lines else "no output"
    if outcome.code is None:
        return TIMED_OUT, f"more than {limit:.0f} s"
    if outcome.code == _WAIVED:
        return WAIVED, last
    if outcome.code < 0:
        return FAILED, f"{signal.Signals(-outcome.code).name}: {last}"
    failure = next((line for line in lines if _FAILURE.search(line)), None)
    if outcome.code != 0:
        error = next((line for line in lines if _ERROR.search(line)), last)
        return FAILED, f"exit code {outcome.code}: {(failure or error)[:160]}"
    return (FAILED, failure) if failure else (PASSED, "")


def copy_sample(sample: Sample, root: Path, copies: Path) -> Path:
    """Copy the sample's directory, because samples write files beside their data."""
    directory = copies / sample.directory
    if not directory.exists():
        shutil.copytree(root / sample.directory, directory)
    return directory


def report_unbuilt(sample: Sample, log: str) -> Result:
    """Return the result of a sample that does not build."""
    lines = [line.strip() for line in log.splitlines() if not line.startswith("ninja: ")]
    errors = [line for line in lines if _BUILD_ERROR.search(line)]
    detail = (errors or lines[-1:] or ["no output"])[0]
    return Result(directory=sample.directory, status=NOT_BUILT, detail=detail, seconds=0.0, log=log)


def strip_paths(result: Result, *roots: Path) -> Result:
    """Remove directories of this machine from what is reported."""
    detail, log = result.detail, result.log
    for root in roots:
        detail = detail.replace(f"{root.resolve()}/", "")
        log = log.replace(f"{root.resolve()}/", "")
    return replace(result, detail=detail, log=log)
