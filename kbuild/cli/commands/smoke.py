"""`kbuild smoke`: load a shared object and launch its kernels, in child processes."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Final

from kbuild.cli.output import add_output_arguments, write_output
from kbuild.inspect import inspect_path
from kbuild.report import smoke as report_smoke
from kbuild.report.verify import text
from kbuild.runtime.loading.shared_object import read_shared_object
from kbuild.smoke import SmokeReport, report_rejected, run_smoke
from kbuild.verify import verify
from kbuild.verify.policy.file import find_policy

HELP: Final = "load a shared object, resolve its kernels and run launch cases"
EPILOG: Final = """\
CASES is a Python file: each function whose name starts with test_ or case_ gets the loaded
module (see kbuild.load), launches kernels and asserts, in a process of its own.
Exit code 0: all passed; 1: something failed, or the verifier found an error; 77: no device."""

_RENDERERS: Final = {"text": report_smoke.render_text, "json": report_smoke.render_json}
_SKIPPED: Final = 77


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("path", type=Path, metavar="PATH", help="a shared object with kernels")
    parser.add_argument(
        "cases", type=Path, nargs="?", metavar="CASES.py", help="launch cases, in Python"
    )
    parser.add_argument(
        "--require-device", action="store_true", help="fail where no device is, instead of 77"
    )
    parser.add_argument(
        "--no-verify", action="store_true", help="launch without verifying the file first"
    )
    parser.add_argument(
        "--timeout",
        type=_read_seconds,
        default=60.0,
        metavar="SECONDS",
        help="for each case, and for resolving (default: %(default)g)",
    )
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Verify, then resolve and run everything."""
    read_shared_object(arguments.path)  # complains about anything else before the verifier does
    is_sound = arguments.no_verify or _verify(arguments.path)
    if is_sound:
        report = run_smoke(
            arguments.path,
            arguments.cases,
            timeout=arguments.timeout,
            require_device=arguments.require_device,
        )
    else:
        report = report_rejected(arguments.path)
    write_output(_RENDERERS[arguments.format](report), arguments)
    return _choose_exit_code(report) if is_sound else 1


def _verify(path: Path) -> bool:
    """Whether the verifier lets the file pass; what it found goes to stderr."""
    report = verify(inspect_path(path), find_policy(Path()))
    if report.findings or not report.ok:
        sys.stderr.write(text.render(report))
    return report.ok


def _choose_exit_code(report: SmokeReport) -> int:
    if report.is_skipped:
        return _SKIPPED
    return 0 if report.ok else 1


def _read_seconds(word: str) -> float:
    seconds = float(word)
    if not 0 < seconds < float("inf"):
        raise ValueError(word)
    return seconds


_read_seconds.__name__ = "number of seconds"  # argparse puts it into its message
