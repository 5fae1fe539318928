"""Programs of a suite, what is wrong with them, and what checks report."""

from __future__ import annotations

import os
import subprocess
import sysconfig
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from kbuild.check.processes import DIRECTORY, SELECTION, read_report
from kbuild.check.rules import find_rule

_KBUILD = Path(sysconfig.get_path("scripts")) / "kbuild"
_LIMIT = 300  # seconds of a run


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A program of a suite.

    Attributes:
        name: The name, which is unique in the suite.
        pattern: The name of a row in the table.
        source: The source. Several programs can share one.
        arguments: The arguments of the built program.
        mistakes: The kinds of planted mistakes; empty if the program is correct.
    """

    name: str
    pattern: str
    source: Path
    arguments: tuple[str, ...] = ()
    mistakes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Programs, and how to build, run, and judge them.

    Attributes:
        programs: The programs.
        rules: The rules that report a kind of mistake, by kind.
        include_directories: Where the sources find headers.
        checks: The selection of checks, as in ``KBUILD_CHECK``.
    """

    programs: tuple[Program, ...]
    rules: Mapping[str, frozenset[str]]
    include_directories: tuple[Path, ...] = ()
    checks: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What checks reported for a program.

    Attributes:
        program: The program.
        found: The mistakes that were reported.
        missed: The mistakes that were not reported.
        others: The findings of checks that none of its mistakes belongs to, as text.
    """

    program: Program
    found: tuple[str, ...]
    missed: tuple[str, ...]
    others: tuple[str, ...]


def build_programs(suite: Suite, directory: Path) -> dict[Path, Path]:
    """Build the sources of a suite with checks, and return the program of each source."""
    built = {}
    options = [f"-I{path}" for path in suite.include_directories]
    for source in dict.fromkeys(program.source for program in suite.programs):
        output = directory / source.stem
        command = (_KBUILD, "run", "--check", "--build-only", *options)
        done = subprocess.run(
            (*command, "-o", output, source), capture_output=True, text=True, check=False
        )
        if done.returncode != 0:
            raise SystemExit(f"{source} does not build:\n{done.stderr}")
        built[source] = output
    return built


def check_program(suite: Suite, program: Program, executable: Path) -> Outcome:
    """Run a program with checks, and compare the findings with its mistakes."""
    with tempfile.TemporaryDirectory() as directory:
        done = subprocess.run(
            (executable, *program.arguments),
            env={**os.environ, DIRECTORY: directory, SELECTION: suite.checks},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_LIMIT,
            check=False,
        )
        report = read_report(Path(directory), program=program.name, exit_status=done.returncode)
    if done.returncode < 0:
        raise SystemExit(f"{program.name} ends by signal {-done.returncode}")
    reported = {finding.rule for finding in report.findings}
    expected = {find_rule(rule).check for kind in program.mistakes for rule in suite.rules[kind]}
    return Outcome(
        program=program,
        found=tuple(kind for kind in program.mistakes if suite.rules[kind] & reported),
        missed=tuple(kind for kind in program.mistakes if not suite.rules[kind] & reported),
        others=tuple(
            f"{finding.rule} {finding.message}"
            for finding in report.findings
            if find_rule(finding.rule).check not in expected
        ),
    )


def check_suite(suite: Suite, directory: Path) -> Sequence[Outcome]:
    """Build and run all programs of a suite."""
    built = build_programs(suite, directory)
    return [check_program(suite, program, built[program.source]) for program in suite.programs]
