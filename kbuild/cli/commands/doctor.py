"""``kbuild doctor``: print what kbuild finds on this machine."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.cli.arguments import add_color_argument, add_output_arguments
from kbuild.cli.output import write_report
from kbuild.cli.progress import show_activity
from kbuild.report import doctor
from kbuild.toolchain.doctor import diagnose

HELP: Final = "Print which toolchains, programs, and devices kbuild finds, and what is missing."

_RENDERERS: Final = {"text": doctor.render_text, "json": doctor.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the command's arguments to the parser."""
    add_color_argument(parser)
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis. Return 0 even if something is missing."""
    with show_activity(lambda: "looking for toolchains and devices"):
        diagnosis = diagnose()
    write_report(diagnosis, _RENDERERS, arguments)
    return 0
