"""``kbuild smoke``: load a shared object and launch its kernels in child processes."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.check.gaps import Requirements
from kbuild.check.processes import DIRECTORY, SELECTION, read_report, select_checks
from kbuild.check.report import CheckReport
from kbuild.check.schedules import SEED, join_schedules
from kbuild.check.suppressions import apply_suppressions, read_suppressions
from kbuild.cli.arguments import add_color_argument, add_output_arguments
from kbuild.cli.checked_run import (
    add_schedules_argument,
    add_suppressions_argument,
    list_seeds,
    require_check,
)
from kbuild.cli.output import SKIPPED, has_colors, write_report
from kbuild.inspect import inspect_path
from kbuild.report import smoke as report_smoke
from kbuild.report.check import text as check_text
from kbuild.report.verify import text
from kbuild.smoke.report import SmokeReport, add_failure
from kbuild.smoke.runner import report_rejected, run_smoke
from kbuild.smoke.target import read_target
from kbuild.verify import verify
from kbuild.verify.policy.file import find_policy

HELP: Final = "Load a shared object, resolve its kernels, and run launch cases."
EPILOG: Final = """\
CASES.py is a Python file. Each function whose name starts with test_ or case_ receives the loaded
module (see kbuild.load), launches kernels, and checks results. Each one runs in a separate process.
Exit codes: 0 if all cases pass, 1 if one fails or the verifier reports an error, 77 if there is no
device."""

_RENDERERS: Final = {"text": report_smoke.render_text, "json": report_smoke.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("path", type=Path, metavar="PATH", help="test this shared object")
    parser.add_argument(
        "cases", type=Path, nargs="?", metavar="CASES.py", help="run the launch cases in this file"
    )
    parser.add_argument(
        "--require-device",
        action="store_true",
        help="fail if there is no device (default: exit with 77)",
    )
    parser.add_argument("--no-verify", action="store_true", help="do not verify the file first")
    parser.add_argument(
        "--timeout",
        type=_read_seconds,
        default=60.0,
        metavar="SECONDS",
        help="limit the time of each case, and of resolving all kernels (default: %(default)g)",
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="find mistakes in kernels while the cases run; the exit code is 77 if the file is not "
        "built with CHECK ON and no kernel ran",
    )
    parser.add_argument(
        "--probe",
        action="append",
        default=[],
        metavar="WORD",
        help="resolve the kernels of another machine's library with this command, an emulator "
        "and the probe that CMake builds, one option per word; without CASES.py",
    )
    add_schedules_argument(parser)
    add_suppressions_argument(parser)
    add_color_argument(parser)
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Verify, then resolve and run everything."""
    require_check(arguments, "--suppressions", "--schedules")
    read_target(arguments.path)  # rejects other files with a better message than the verifier
    is_sound = arguments.no_verify or _verify(arguments)
    if is_sound and arguments.check:
        return _run_checked(arguments)
    if is_sound:
        report = run_smoke(
            arguments.path,
            arguments.cases,
            timeout=arguments.timeout,
            require_device=arguments.require_device,
            probe=tuple(arguments.probe),
        )
    else:
        report = report_rejected(arguments.path)
    write_report(report, _RENDERERS, arguments)
    return _choose_exit_code(report) if is_sound else 1


def _run_checked(arguments: argparse.Namespace) -> int:
    """Run the cases with checks, and print the findings to stderr before the report."""
    suppressions = read_suppressions(arguments.suppressions) if arguments.suppressions else None
    schedules = [_run_schedule(arguments, seed) for seed in list_seeds(arguments)]
    report = next((each for each, _ in schedules if not each.ok), schedules[0][0])
    checked = join_schedules(tuple(checked for _, checked in schedules))
    if checked.images == 0 and not checked.kernels and report.ok:
        sys.stderr.write(
            f"kbuild: {arguments.path}: skipped, because no kernel of the file is instrumented; "
            "build it with CHECK ON\n"
        )
        return SKIPPED
    if suppressions is not None:
        checked = apply_suppressions(checked, suppressions)
    sys.stderr.write(check_text.render(checked, has_colors=has_colors(arguments, sys.stderr)))
    if not checked.ok:
        report = add_failure(report, "checks", check_text.summarize(checked))
    write_report(report, _RENDERERS, arguments)
    return _choose_exit_code(report)


def _run_schedule(
    arguments: argparse.Namespace, seed: int | None
) -> tuple[SmokeReport, CheckReport]:
    """Run the cases once, with the blocks in the order of the seed."""
    checks = select_checks()
    order = {} if seed is None else {SEED: str(seed)}
    with tempfile.TemporaryDirectory(prefix="kbuild-check-") as directory:
        process.export_variables({DIRECTORY: directory, SELECTION: ",".join(checks), **order})
        report = run_smoke(
            arguments.path,
            arguments.cases,
            timeout=arguments.timeout,
            require_device=arguments.require_device,
            probe=tuple(arguments.probe),
        )
        checked = read_report(
            Path(directory),
            program=str(arguments.path),
            exit_status=_choose_exit_code(report),
            checks=checks,
            requirements=Requirements(launches=1 if arguments.cases else 0),
        )
    return report, checked


def _verify(arguments: argparse.Namespace) -> bool:
    """Return whether the file passes verification, and print the findings to stderr."""
    report = verify(inspect_path(arguments.path), find_policy(Path()))
    if report.findings or not report.ok:
        sys.stderr.write(text.render(report, has_colors=has_colors(arguments, sys.stderr)))
    return report.ok


def _choose_exit_code(report: SmokeReport) -> int:
    if report.is_skipped:
        return SKIPPED
    return 0 if report.ok else 1


def _read_seconds(word: str) -> float:
    seconds = float(word)
    if not 0 < seconds < float("inf"):
        raise ValueError(word)
    return seconds


_read_seconds.__name__ = "number of seconds"  # argparse uses this name in its message
