"""Arguments that several commands have, and the types of their values."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kbuild.backends import builder_names
from kbuild.toolchain.cuda_versions import OPTION as CUDA_VERSION
from kbuild.toolchain.cuda_versions import list_versions


def add_artifact_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the positional arguments of commands that read artifacts."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=parse_artifact_path,
        metavar="PATH",
        help="object, archive, shared object, executable, wheel, cubin, PTX, fat binary, hsaco, "
        "offload bundle, or a directory of them",
    )


def add_output_arguments(parser: argparse.ArgumentParser, formats: tuple[str, ...]) -> None:
    """Add ``--format`` and ``-o``. The first format is the default."""
    parser.add_argument(
        "--format",
        choices=formats,
        default=formats[0],
        help="select the output format (default: %(default)s)",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write to FILE (default: standard output)",
    )


def add_repeatable_argument(
    parser: argparse.ArgumentParser,
    option: str,
    metavar: str,
    help: str,  # noqa: A002 - as argparse calls it
    **details: Any,
) -> None:
    """Add an option that can be repeated. Its value is a list, which is empty by default."""
    parser.add_argument(option, action="append", default=[], metavar=metavar, help=help, **details)


def add_backend_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--backend``, for commands that build an example."""
    parser.add_argument(
        "--backend",
        choices=builder_names(),
        default="cpu",
        help="select the backend (default: %(default)s)",
    )


def add_cuda_version_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--cuda-version``, for commands that compile for a backend with several versions."""
    parser.add_argument(
        CUDA_VERSION,
        choices=list_versions(),
        help="on the CPU, use headers like those of this version of CUDA (default: the value of "
        "KBUILD_CUDA_VERSION, or 13)",
    )


def add_jobs_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``-j``, the number of processes that read artifacts."""
    parser.add_argument(
        "-j",
        "--jobs",
        type=parse_count("processes", 1, 9999),
        metavar="N",
        help="use N processes (default: one per core)",
    )


def add_verbose_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``-v``, for commands that build."""
    parser.add_argument(
        "-v",
        "--verbose",
        action="store_true",
        help="also print the output of CMake, and the commands that fail",
    )


def add_schema_argument(
    parser: argparse.ArgumentParser, option: str, make_schema: Callable[[], object], what: str
) -> None:
    """Add an option that prints a JSON schema and, like ``--help``, needs no other argument."""

    class PrintSchema(argparse.Action):
        def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
            print(json.dumps(make_schema(), indent=2))
            parser.exit()

    help_text = f"print the JSON schema of {what} and exit"
    parser.add_argument(option, action=PrintSchema, nargs=0, help=help_text)


def add_color_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--color``, for commands whose text has colors."""
    parser.add_argument(
        "--color",
        choices=("auto", "always", "never"),
        default="auto",
        help="color text (default: %(default)s, on a terminal, unless NO_COLOR is set)",
    )


def parse_artifact_path(text: str) -> Path:
    """Return the path of an artifact. An empty one is a mistake, not the working directory."""
    if not text:
        raise argparse.ArgumentTypeError("the path is empty")
    return Path(text)


def parse_count(what: str, minimum: int, maximum: int) -> Callable[[str], int]:
    """Return the type of an argument that is a number of ``what``."""

    def parse(text: str) -> int:
        if re.fullmatch(r"\d{1,10}", text, re.ASCII) and minimum <= int(text) <= maximum:
            return int(text)
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of {what}; expected {minimum} to {maximum}"
        )

    return parse
