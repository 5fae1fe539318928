"""``kbuild config``: print the compiler and linker options that kernels need."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path
from typing import Final

from kbuild.backends import AUTOMATIC, builder_names
from kbuild.cli.commands.build import add_directory_arguments, find_target, locate_build
from kbuild.errors import ConfigurationError
from kbuild.project.generate import locate_artifact, locate_usage_file
from kbuild.project.usage import (
    Usage,
    check_usage_file,
    describe_artifact,
    describe_backend,
    read_usage,
)

HELP: Final = "Print the options with which a compiler uses kernels, for builds without CMake."
EPILOG: Final = """\
example, in a Makefile:
  CXXFLAGS += $(shell kbuild config --cflags saxpy_kernels)
  LDLIBS += $(shell kbuild config --libs saxpy_kernels)
Options with spaces are quoted for a shell."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        help="a target of kbuild.toml that is built, the path of an artifact, or a backend",
    )
    parser.add_argument("--cflags", action="store_true", help="print the options for compiling")
    parser.add_argument("--libs", action="store_true", help="print the options for linking")
    add_directory_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Print the options in one line."""
    if not arguments.cflags and not arguments.libs:
        raise ConfigurationError("nothing to print; add --cflags, --libs, or both")
    usage = _find_usage(arguments)
    words = (*(usage.cflags if arguments.cflags else ()), *(usage.libs if arguments.libs else ()))
    print(shlex.join(words))
    return 0


def _find_usage(arguments: argparse.Namespace) -> Usage:
    what: str = arguments.what
    if what in (*builder_names(), AUTOMATIC):
        return describe_backend(what)
    found = find_target(what, arguments.manifest, builder_names())
    if found is None:
        return describe_artifact(Path(what))
    manifest, target = found
    directory = locate_build(manifest.root, arguments.output, arguments.profile)
    check_usage_file(locate_artifact(directory, target), what, target.table.kind)
    return read_usage(locate_usage_file(directory, target))
