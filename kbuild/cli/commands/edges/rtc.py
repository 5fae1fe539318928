"""``kbuild rtc``: compile the source text of a running program, or link its images."""

from __future__ import annotations

import argparse
from pathlib import Path

from kbuild.backends import builder_names
from kbuild.runtime.nvrtc.linking import link_directory
from kbuild.runtime.nvrtc.program import compile_directory

HELP = "Compile the source text of a running program. The runtime of the CPU calls this command."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("directory", type=Path, help="the program, and what becomes of it")
    parser.add_argument("--link", action="store_true", help="link images instead")
    parser.add_argument("--backend", choices=builder_names(), required=True, help="the backend")


def run(arguments: argparse.Namespace) -> int:
    """Compile, and end with the code of NVRTC."""
    handle = link_directory if arguments.link else compile_directory
    return handle(arguments.directory, arguments.backend)
