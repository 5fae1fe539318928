"""``kbuild bench launch``: measure the cost of a launch in instructions and time."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.backends import find_builder
from kbuild.bench.launch import measure_launches
from kbuild.cli.arguments import add_backend_argument, add_output_arguments, parse_count
from kbuild.cli.output import write_output
from kbuild.report import bench as report_bench

HELP: Final = "Count the instructions of a launch, and measure its time if there is a device."
EPILOG: Final = """\
Measures each way to make the same launch: by hand, through push and pop, through kbuild's host
API, and with debug stubs. Counting instructions needs valgrind but no device. Measuring time needs
a device but no valgrind. The report leaves out measurements that this machine cannot make.
docs/explanation/launch-cost.md explains the results."""

_RENDERERS: Final = {"text": report_bench.render_text, "json": report_bench.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("subject", choices=("launch",), help="measure launches")
    add_backend_argument(parser)
    parser.add_argument(
        "--batches",
        type=parse_count("batches", 1, 1_000_000),
        default=600,
        metavar="N",
        help="time N batches of 200 launches each on a device (default: %(default)s)",
    )
    parser.add_argument(
        "--only",
        choices=("count", "time"),
        help="only count instructions, or only measure time (default: both)",
    )
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Measure, and write the report."""
    report = measure_launches(
        find_builder(arguments.backend), batches=arguments.batches, only=arguments.only
    )
    write_output(_RENDERERS[arguments.format](report), arguments)
    return 0
