"""`kbuild inspect`: what is in an artifact."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from kbuild.cli.output import add_output_arguments, artifact_path, stream_output, write_output
from kbuild.cli.progress import show_progress
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import ReadOptions, Selection, find_artifacts, inspect_files, select
from kbuild.report.inspect import json
from kbuild.report.inspect import text as artifacts_text

HELP: Final = "show the device images, kernels and handles of artifacts"

_FORMATS: Final = ("text", "json")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=artifact_path,
        metavar="PATH",
        help="object, archive, shared object, executable, wheel, cubin, PTX, fat binary, hsaco, "
        "offload bundle, or a directory of them",
    )
    parser.add_argument(
        "--summary", action="store_true", help="architectures and sizes only: opens no image"
    )
    for option, metavar, what in (
        ("--kernel", "GLOB", "only kernels whose symbol or demangled name matches"),
        ("--arch", "GLOB", "only images for these architectures, as in sm_90 or gfx9*"),
    ):
        parser.add_argument(option, action="append", default=[], metavar=metavar, help=what)
    parser.add_argument(
        "--sort", choices=("file", "name", "size"), default="file", help="default: %(default)s"
    )
    add_limit_arguments(parser)
    add_output_arguments(parser, _FORMATS)


def add_limit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add what bounds the memory and the processes of reading."""
    defaults = ReadOptions()
    for option, default, what in (
        ("--max-image-size", defaults.image_limit, "largest image to decompress"),
        ("--max-archive-size", defaults.archive_limit, "most to decompress of one wheel"),
    ):
        parser.add_argument(
            option,
            type=_size,
            default=default,
            metavar="SIZE",
            help=f"{what}, as in 512M (default: {default >> 30}G)",
        )
    parser.add_argument(
        "-j", "--jobs", type=_count, metavar="N", help="processes (default: one a core)"
    )


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12})([KMG]?)(?:i?B)?", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(f"{text!r} is no size; write it as in 512M")
    return int(match[1]) * _UNITS[match[2]]


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,3}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Show every artifact; of several, the unreadable ones are listed and exit code is 2."""
    found, messages = _read(arguments)
    selection = Selection(kernels=tuple(arguments.kernel), architectures=tuple(arguments.arch))
    artifacts = [select(facts, selection) for facts in found if facts.kind != "other"]
    messages += [
        (facts.path, f"{facts.path}: {problem.message}")
        for facts in found
        if facts.kind == "other" or _is_unreadable(facts)
        for problem in facts.problems
    ]
    if arguments.format == "json":
        stream_output(json.iterate_artifacts(artifacts, messages), arguments)
    else:
        text = artifacts_text.render_artifacts(artifacts, messages, arguments.sort)
        write_output(text, arguments)
    return InputError.exit_code if messages else 0


def _read(arguments: argparse.Namespace) -> tuple[list[ArtifactFacts], list[tuple[str, str]]]:
    """The facts of all files, and (path, message) of those that cannot be read."""
    files = [file for path in arguments.paths for file in find_artifacts(path)]
    with show_progress(_total_size(files)) as advance:
        options = ReadOptions(
            summary=arguments.summary,
            image_limit=arguments.max_image_size,
            archive_limit=arguments.max_archive_size,
            jobs=arguments.jobs,
            progress=advance,
        )
        results = list(inspect_files(files, options))
    errors = [(path, result) for path, result in results if isinstance(result, InputError)]
    if len(results) == 1 and errors:
        raise errors[0][1]
    found = [facts for _, result in results if isinstance(result, tuple) for facts in result]
    return found, [(str(path), str(error)) for path, error in errors]


def _total_size(files: Sequence[Path]) -> int:
    return sum(file.stat().st_size for file in files if file.is_file())


def _is_unreadable(facts: ArtifactFacts) -> bool:
    """Whether a file of device code alone is so damaged that nothing of it is left."""
    return facts.kind in ("image", "fat-binary") and not facts.images and bool(facts.problems)
