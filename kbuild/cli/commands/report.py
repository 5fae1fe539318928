"""``kbuild report``: write a self-contained HTML page about artifacts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import add_artifact_arguments
from kbuild.cli.commands.inspect import add_limit_arguments
from kbuild.cli.commands.verify import (
    add_baseline_argument,
    add_policy_argument,
    drop_repeated,
    read_policy,
)
from kbuild.cli.output import write_output
from kbuild.cli.progress import show_activity
from kbuild.cli.reading import read_artifacts
from kbuild.diff.compare import compare_paths
from kbuild.diff.inputs import DEFAULT_CODE_LIMIT, DiffOptions
from kbuild.diff.model import ASPECTS, DiffReport
from kbuild.errors import ConfigurationError
from kbuild.inspect import ReadOptions
from kbuild.report.page.html import Overview, render_overview
from kbuild.report.strip import ESTIMATE_RENDERERS
from kbuild.strip.estimate import estimate_sizes
from kbuild.verify import select_rules, verify

HELP: Final = "Write an HTML page about artifacts: sizes, kernels, architectures, and findings."
EPILOG: Final = """\
The page needs no network and no other file. It shows a map of sizes, a table of all kernels that
you can sort, filter, and search, the architectures of each artifact, and the findings of
kbuild verify with their fixes. With --compare OLD, it also shows what kbuild diff shows.
The default policy is the same as for kbuild verify. Findings do not change the exit code."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_artifact_arguments(parser)
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the page to FILE; required without --estimate",
    )
    parser.add_argument(
        "--estimate",
        action="store_true",
        help="write no page, but print how large PATH becomes without each architecture, and with "
        "each compression mode of nvcc",
    )
    parser.add_argument(
        "--format",
        choices=tuple(ESTIMATE_RENDERERS),
        default="text",
        help="select the format of the estimates (default: %(default)s)",
    )
    parser.add_argument(
        "--compare",
        type=Path,
        metavar="OLD",
        help="also compare PATH with an older artifact or directory",
    )
    add_policy_argument(parser)
    add_baseline_argument(parser)
    add_limit_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Write the page, or the estimates."""
    if arguments.estimate:
        return _estimate(arguments)
    if arguments.output is None:
        raise ConfigurationError("-o FILE is missing; it names the page")
    options = ReadOptions(
        image_limit=arguments.max_image_size,
        archive_limit=arguments.max_archive_size,
        jobs=arguments.jobs,
    )
    with show_activity(lambda: "comparing"):
        comparison = _compare(arguments, options) if arguments.compare else None
    policy = read_policy(arguments)
    paths = drop_repeated(arguments.paths)
    artifacts = read_artifacts(paths, options)
    with show_activity(lambda: "checking rules and writing the page"):
        report = verify(artifacts, policy, select_rules((), ()))
        page = render_overview(Overview(artifacts=artifacts, report=report, comparison=comparison))
    write_output(page, arguments)
    return 0


def _estimate(arguments: argparse.Namespace) -> int:
    if len(arguments.paths) > 1:
        raise ConfigurationError(f"--estimate expects one PATH, not {len(arguments.paths)}")
    with show_activity(lambda: "compressing images"):
        estimates = estimate_sizes(arguments.paths[0])
    write_output(ESTIMATE_RENDERERS[arguments.format](estimates), arguments)
    return 0


def _compare(arguments: argparse.Namespace, options: ReadOptions) -> DiffReport:
    if len(arguments.paths) > 1:
        raise ConfigurationError(
            f"--compare expects one PATH, not {len(arguments.paths)}; pass a directory of them"
        )
    return compare_paths(
        arguments.compare,
        arguments.paths[0],
        DiffOptions(
            aspects=ASPECTS,
            artifacts=(),
            code_limit=DEFAULT_CODE_LIMIT,
            require_tool=False,
            read=options,
        ),
    )
