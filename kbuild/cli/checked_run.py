"""Run a program with instrumented kernels, and report what the runtime found."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.check.gaps import Requirements
from kbuild.check.processes import DIRECTORY, SELECTION, read_report, select_checks
from kbuild.check.report import CheckReport
from kbuild.check.rules import CHECKS
from kbuild.check.schedules import SEED, join_schedules
from kbuild.check.suppressions import apply_suppressions, read_suppressions
from kbuild.cli.arguments import parse_count
from kbuild.cli.output import has_colors
from kbuild.errors import ConfigurationError
from kbuild.files import write_file
from kbuild.report.check import github, json, junit, sarif, text

RENDERERS: Final[dict[str, Callable[[CheckReport], str]]] = {
    "text": lambda report: text.render(report, is_verbose=True),
    "json": json.render,
    "sarif": sarif.render,
    "junit": junit.render,
    "github": github.render,
}


def add_check_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--check``, and the options of its report."""
    parser.add_argument(
        "--check",
        action="store_true",
        help="find mistakes in kernels on the CPU: races, accesses outside of memory, wrong "
        f"barriers, and more; findings make the exit code 1 ({SELECTION} selects some of "
        f"{', '.join(CHECKS)})",
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="with --check: also write the report to FILE"
    )
    parser.add_argument(
        "--format",
        choices=tuple(RENDERERS),
        help="with --report: the format of the file (default: text)",
    )
    parser.add_argument(
        "--require-launches",
        type=parse_count("launches", 0, 10**9),
        metavar="N",
        help="with --check: fail if the program launches fewer than N kernels (default: 1)",
    )
    parser.add_argument(
        "--require-coverage",
        type=parse_count("percent", 0, 100),
        metavar="PERCENT",
        help="with --check: fail if fewer lines with accesses to memory run (default: 0)",
    )
    add_schedules_argument(parser)
    add_suppressions_argument(parser)


def add_schedules_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--schedules``, for commands that have ``--check``."""
    parser.add_argument(
        "--schedules",
        type=parse_count("schedules", 1, 1000),
        metavar="N",
        help="with --check: run everything N times, with the blocks of kernels in N orders, and "
        f"report each finding once, with the {SEED} that shows it (default: 1)",
    )


def list_seeds(arguments: argparse.Namespace) -> tuple[int | None, ...]:
    """Return the seeds of the orders, or None for the order that the environment selects."""
    return tuple(range(arguments.schedules)) if arguments.schedules else (None,)


def add_suppressions_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--suppressions``, for commands that have ``--check``."""
    parser.add_argument(
        "--suppressions",
        type=Path,
        metavar="FILE",
        help="with --check: do not count the findings that this TOML file lists",
    )


def check_arguments(arguments: argparse.Namespace) -> None:
    """Reject options of checks that have no effect, and checks that do not exist.

    Raises:
        ConfigurationError: Such an option is present.
    """
    require_check(
        arguments,
        *("--report", "--format", "--require-launches", "--require-coverage", "--suppressions"),
        "--schedules",
    )
    if not arguments.check:
        return
    if arguments.format is not None and arguments.report is None:
        raise ConfigurationError(
            f"--format {arguments.format}: the program uses standard output, so the report needs a "
            "file; add --report FILE"
        )
    if arguments.report is not None and not arguments.report.absolute().parent.is_dir():
        raise ConfigurationError(
            f"--report {arguments.report}: there is no directory "
            f"{arguments.report.absolute().parent}; create it"
        )
    select_checks()


def require_check(arguments: argparse.Namespace, *options: str) -> None:
    """Reject options that have no effect without ``--check``.

    Raises:
        ConfigurationError: ``--check`` is absent, and one of the options is present.
    """
    for option in options:
        value = getattr(arguments, option.removeprefix("--").replace("-", "_"))
        if value is not None and not arguments.check:
            raise ConfigurationError(f"{option} has no effect without --check; add --check")


def run_checked(argv: tuple[str, ...], name: str, arguments: argparse.Namespace) -> int:
    """Run a program to its end, print the report to stderr, and return the exit code.

    Returns:
        The exit status of the program, or 1 if that is 0 and the report is not ok. A negative
        number is that of the signal that ended it.

    Raises:
        ConfigurationError: The suppressions are not valid.
    """
    suppressions = read_suppressions(arguments.suppressions) if arguments.suppressions else None
    reports = tuple(_run_schedule(argv, name, arguments, seed) for seed in list_seeds(arguments))
    status = next((each.exit_status for each in reports if each.exit_status), 0)
    report = join_schedules(reports)
    if suppressions is not None:
        report = apply_suppressions(report, suppressions)
    write_check_report(report, arguments)
    return status if report.ok else status or 1


def _run_schedule(
    argv: tuple[str, ...], name: str, arguments: argparse.Namespace, seed: int | None
) -> CheckReport:
    checks = select_checks()
    schedule = {} if seed is None else {SEED: str(seed)}
    with tempfile.TemporaryDirectory(prefix="kbuild-check-") as directory:
        status = process.run_in_foreground(
            argv, {DIRECTORY: directory, SELECTION: ",".join(checks), **schedule}
        )
        required = 1 if arguments.require_launches is None else arguments.require_launches
        return read_report(
            Path(directory),
            program=name,
            exit_status=status,
            checks=checks,
            requirements=Requirements(launches=required, coverage=arguments.require_coverage or 0),
        )


def write_check_report(report: CheckReport, arguments: argparse.Namespace) -> None:
    """Print the report to stderr, and write the file that ``--report`` names."""
    colors = has_colors(arguments, sys.stderr)
    sys.stderr.write(text.render(report, is_verbose=arguments.verbose, has_colors=colors))
    sys.stderr.flush()
    if arguments.report is not None:
        content = RENDERERS[arguments.format or "text"](report)
        try:
            write_file(arguments.report, content.encode("utf-8", "backslashreplace"))
        except OSError as error:
            raise ConfigurationError(f"--report {arguments.report}: {error.strerror}") from error
