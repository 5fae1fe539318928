"""`kbuild bench launch`: what a launch costs, in instructions and, on a device, in time."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.backends import builder_names, find_builder
from kbuild.bench.launch import measure_launches
from kbuild.cli.output import add_output_arguments, write_output
from kbuild.report import bench as report_bench

HELP: Final = "count the instructions of a launch, and time it where there is a device"
EPILOG: Final = """\
The same launch in every way: by hand, through push and pop, through kbuild's host API, with
debug stubs.  Instructions need valgrind and no device, times a device and no valgrind; what
cannot be measured here is left out.  docs/launch-cost.md says how to read them."""

_RENDERERS: Final = {"text": report_bench.render_text, "json": report_bench.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("subject", choices=("launch",), help="what is measured")
    parser.add_argument("--backend", choices=builder_names(), default="cpu")
    parser.add_argument(
        "--batches",
        type=_count,
        default=600,
        metavar="N",
        help="batches of 200 launches that are timed on a device (default: %(default)s)",
    )
    parser.add_argument(
        "--only", choices=("count", "time"), help="measure one of them (default: both)"
    )
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Measure, then write the tables."""
    report = measure_launches(
        find_builder(arguments.backend), batches=arguments.batches, only=arguments.only
    )
    write_output(_RENDERERS[arguments.format](report), arguments)
    return 0


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise ValueError(text)
    return count
