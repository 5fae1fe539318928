"""``kbuild inspect``: show what artifacts contain."""

from __future__ import annotations

import argparse
import re
from typing import Final

from kbuild.backends import name_images
from kbuild.cli.arguments import (
    add_artifact_arguments,
    add_color_argument,
    add_jobs_argument,
    add_output_arguments,
    add_repeatable_argument,
)
from kbuild.cli.output import find_width, has_colors, stream_output
from kbuild.cli.reading import report_reading
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import ReadOptions, Selection, find_artifacts, inspect_files, select
from kbuild.report.inspect import json, text

HELP: Final = "Show the device images, kernels, and handles of artifacts."

_FORMATS: Final = ("text", "json")
_SORT_ORDERS: Final = ("file", "name", "size")
_UNITS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_artifact_arguments(parser)
    parser.add_argument(
        "--summary",
        action="store_true",
        help="show only architectures and sizes, without reading images",
    )
    for option, metavar, what in (
        ("--kernel", "GLOB", "show only kernels whose symbol or demangled name matches"),
        ("--arch", "GLOB", "show only images for these architectures, for example sm_90 or gfx9*"),
    ):
        add_repeatable_argument(parser, option, metavar, what)
    parser.add_argument(
        "--sort",
        choices=_SORT_ORDERS,
        default=_SORT_ORDERS[0],
        help="sort kernels by this property (default: %(default)s)",
    )
    add_limit_arguments(parser)
    add_color_argument(parser)
    add_output_arguments(parser, _FORMATS)


def add_limit_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments that limit the memory and the processes that reading takes."""
    defaults = ReadOptions()
    for option, default, what in (
        ("--max-image-size", defaults.image_limit, "limit the size of an image to decompress"),
        ("--max-archive-size", defaults.archive_limit, "limit the decompressed size of a wheel"),
    ):
        parser.add_argument(
            option,
            type=_size,
            default=default,
            metavar="SIZE",
            help=f"{what}, for example 512M (default: {default >> 30}G)",
        )
    add_jobs_argument(parser)


def _size(text: str) -> int:
    match = re.fullmatch(r"(\d{1,12})([KMG]?)(?:i?B)?", text, re.ASCII)
    if not match:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a size; expected a number of bytes, for example 512M"
        )
    return int(match[1]) * _UNITS[match[2]]


def run(arguments: argparse.Namespace) -> int:
    """Show every artifact. If one of several is unreadable, list it and return exit code 2."""
    found, messages = _read(arguments)
    selection = Selection(
        kernels=tuple(arguments.kernel), architectures=name_images(arguments.arch)
    )
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
        lines = text.iterate_artifacts(
            artifacts,
            messages,
            arguments.sort,
            has_colors=has_colors(arguments),
            width=find_width(arguments),
        )
        stream_output(lines, arguments)
    return InputError.exit_code if messages else 0


def _read(arguments: argparse.Namespace) -> tuple[list[ArtifactFacts], list[tuple[str, str]]]:
    """Return the facts of all files, and the path and message of each unreadable file."""
    files = [file for path in arguments.paths for file in find_artifacts(path)]
    with report_reading(files) as advance:
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


def _is_unreadable(facts: ArtifactFacts) -> bool:
    """Return whether a file that should contain only device code has no readable image."""
    return facts.kind in ("image", "fat-binary") and not facts.images and bool(facts.problems)
