"""``kbuild verify --import``: import modules as a user does."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Final

from kbuild.cli.output import write_output
from kbuild.errors import ConfigurationError
from kbuild.report import imports as report_imports
from kbuild.smoke.imports import ImportReport, try_imports

_RENDERERS: Final[dict[str, Callable[[Sequence[ImportReport]], str]]] = {
    "text": report_imports.render_text,
    "json": report_imports.render_json,
}
_SKIPPED: Final = 77


def run(arguments: argparse.Namespace) -> int:
    """Import the modules. The exit code is 1 if one fails with a driver, or crashes."""
    if arguments.format not in _RENDERERS:
        raise ConfigurationError(
            f"--import does not support --format {arguments.format}; expected text or json"
        )
    reports = tuple(map(try_imports, arguments.paths))
    trials = [trial for report in reports for trial in report.trials]
    has_failed = any(report.has_failed for report in reports)
    if has_failed or not arguments.quiet:
        write_output(_RENDERERS[arguments.format](reports), arguments)
    if has_failed:
        return 1
    return 0 if any(trial.outcome != "unjudged" for trial in trials) else _SKIPPED
