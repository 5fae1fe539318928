"""``kbuild bindings``: write declarations of kernels for hosts in another language."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.backends import find_builder
from kbuild.cli.commands.build import find_target, locate_build
from kbuild.cli.output import write_output
from kbuild.errors import ConfigurationError
from kbuild.project.bindings import read_bindings
from kbuild.project.generate import locate_artifact
from kbuild.project.manifest.tables import PROFILES
from kbuild.stages.bindings.c import render_c_header
from kbuild.stages.bindings.fortran import render_fortran
from kbuild.stages.bindings.python import render_python
from kbuild.stages.bindings.rust import EDITIONS, render_rust

HELP: Final = "Write declarations of kernels for hosts in C, Fortran, Rust, or Python."
EPILOG: Final = """\
examples:
  kbuild bindings --lang fortran my_kernels > my_kernels.f90
  kbuild bindings --lang rust -o my_kernels.rs build/libmy_kernels.so"""
_LANGUAGES: Final = ("c", "fortran", "rust", "python")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "what",
        metavar="WHAT",
        help="a target of kbuild.toml that is built, or the path of an object, archive, or shared "
        "object",
    )
    parser.add_argument(
        "--lang",
        choices=_LANGUAGES,
        required=True,
        help="write a header for C, a module for Fortran or Rust, or type stubs for Python",
    )
    parser.add_argument(
        "--target",
        metavar="NAME",
        help="select one of the kernel targets in the artifact (default: the only one)",
    )
    parser.add_argument(
        "--edition",
        type=int,
        choices=EDITIONS,
        default=EDITIONS[0],
        help="write for this edition of Rust (default: %(default)s)",
    )
    parser.add_argument(
        "-f",
        dest="manifest",
        type=Path,
        metavar="FILE",
        help="read this manifest (default: kbuild.toml or pyproject.toml)",
    )
    parser.add_argument(
        "--profile", choices=PROFILES, help=f"select the profile (default: {PROFILES[0]})"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write to FILE (default: standard output)",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the declarations."""
    path = _locate(arguments)
    record, bindings = read_bindings(path, arguments.target)
    if arguments.lang == "c":
        text = render_c_header(bindings, find_builder(record.backend).TRAITS.host_header)
    elif arguments.lang == "rust":
        text = render_rust(bindings, arguments.edition)
    else:
        text = {"fortran": render_fortran, "python": render_python}[arguments.lang](bindings)
    arguments.path = path  # so that -o cannot name it
    write_output(text.decode(), arguments)
    return 0


def _locate(arguments: argparse.Namespace) -> Path:
    found = find_target(arguments.what, arguments.manifest)
    if found is None:
        return Path(arguments.what)
    manifest, target = found
    path = locate_artifact(locate_build(manifest.root, None, arguments.profile), target)
    if not path.is_file():
        raise ConfigurationError(
            f"target {target.name!r} is not built; run: kbuild build {target.name}"
        )
    return path
