"""``kbuild verify --reproducible``: compare two builds byte for byte."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

from kbuild.cli.output import write_output
from kbuild.diff.reproducible.compare import compare_builds
from kbuild.diff.reproducible.model import ReproducibilityReport
from kbuild.errors import ConfigurationError
from kbuild.report import reproducible as report_reproducible

_RENDERERS: Final[dict[str, Callable[[ReproducibilityReport], str]]] = {
    "text": report_reproducible.render_text,
    "json": report_reproducible.render_json,
}
_RULE_OPTIONS: Final = (
    *("policy", "baseline", "write_baseline", "stamp", "select", "ignore", "closure"),
)


def run(arguments: argparse.Namespace) -> int:
    """Compare two builds. The exit code is 1 if they differ."""
    if len(arguments.paths) != 2:  # noqa: PLR2004 - two builds
        raise ConfigurationError("--reproducible expects two paths: BUILD_A BUILD_B")
    for option in _RULE_OPTIONS:
        if getattr(arguments, option):
            raise ConfigurationError(
                f"--reproducible runs no rules; remove --{option.replace('_', '-')}"
            )
    if arguments.format not in _RENDERERS:
        raise ConfigurationError(
            f"--reproducible does not support --format {arguments.format}; expected text or json"
        )
    report = compare_builds(*arguments.paths)
    if not report.is_equal or not arguments.quiet:
        write_output(_RENDERERS[arguments.format](report), arguments)
    return 0 if report.is_equal else 1
