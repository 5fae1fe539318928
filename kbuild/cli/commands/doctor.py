"""``kbuild doctor``: what is found on this machine."""

from __future__ import annotations

import argparse
from typing import Final

from kbuild.cli.output import add_output_arguments, write_output
from kbuild.report import doctor
from kbuild.toolchain.doctor import diagnose

HELP: Final = "Print which toolchains, tools and devices kbuild finds, and why not."

_RENDERERS: Final = {"text": doctor.render_text, "json": doctor.render_json}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Print the diagnosis; a machine that lacks something is no error."""
    write_output(_RENDERERS[arguments.format](diagnose()), arguments)
    return 0
