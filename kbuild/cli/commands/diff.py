"""`kbuild diff`: what changed in the kernels between two builds."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild.cli.commands.inspect import add_limit_arguments
from kbuild.cli.output import add_output_arguments, write_output
from kbuild.diff.compare import compare_labeled, compare_paths
from kbuild.diff.inputs import DEFAULT_CODE_LIMIT, DiffOptions
from kbuild.diff.model import ASPECTS, DiffReport
from kbuild.diff.revisions import build_revisions, resolve_range
from kbuild.errors import ConfigurationError, InputError, did_you_mean
from kbuild.inspect import ReadOptions
from kbuild.report.diff import html as diff_html
from kbuild.report.diff import json as diff_json
from kbuild.report.diff import markdown as diff_markdown
from kbuild.report.diff import text as diff_text

HELP: Final = "show what changed in the kernels between two artifacts, folders or revisions"
EPILOG: Final = """\
kbuild diff OLD NEW
kbuild diff --git A..B|A [--artifacts GLOB] -- BUILD COMMAND
  Checks both revisions out into temporary work trees at one path, runs the command in each,
  and compares all artifacts below.  A...B compares B with where it left A,
  A alone compares A with a copy of your work tree as it stands.
The exit code is 0 where nothing differs, 1 where something does, 2 where a part could not be
read, 3 where --require-disassembler found none, 4 where the build failed, or with
--require-disassembler the disassembler.
Code is compared where bytes differ: PTX as text, machine code by nvdisasm, llvm-objdump or
objdump.  docs/diff.md says what counts as noise."""

_RENDERERS: Final[dict[str, Callable[[DiffReport], str]]] = {
    "text": diff_text.render,
    "json": diff_json.render,
    "markdown": diff_markdown.render,
    "html": diff_html.render,
}
_UNREADABLE: Final = InputError.exit_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="OLD and NEW: artifacts of any kind that `kbuild inspect` reads, or directories",
    )
    parser.add_argument(
        "--git", metavar="A..B|A", help="build and compare two revisions, or one and the work tree"
    )
    parser.add_argument(
        "--artifacts",
        action="append",
        default=[],
        metavar="GLOB",
        help="only files below the directories whose relative path matches",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="ASPECTS",
        help=f"compare only these, comma-separated: {', '.join(ASPECTS)}",
    )
    parser.add_argument(
        "--code-limit",
        type=_limit,
        default=DEFAULT_CODE_LIMIT,
        metavar="N",
        help="most functions to disassemble; what is beyond is named (default: %(default)s)",
    )
    parser.add_argument(
        "--require-disassembler",
        action="store_true",
        help="fail where code differs and no disassembler is there",
    )
    add_limit_arguments(parser)
    add_output_arguments(parser, tuple(_RENDERERS))


def _limit(text: str) -> int:
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of functions")
    return int(text)


def run(arguments: argparse.Namespace) -> int:
    """Compare, show the report, and say by the exit code whether anything differs."""
    options = _read_options(arguments)
    words: list[str] = arguments.paths
    # What is behind `--` is no artifact, which the report may not overwrite.
    arguments.paths = [] if arguments.git else [Path(word) for word in words]
    report = _compare(words, arguments.git, options)
    write_output(_RENDERERS[arguments.format](report), arguments)
    if report.unreadable:
        print("kbuild: a part could not be read, and was not compared", file=sys.stderr)
        return _UNREADABLE
    return 1 if report.has_differences else 0


def _read_options(arguments: argparse.Namespace) -> DiffOptions:
    words = [word.strip() for text in arguments.only for word in text.split(",")]
    for word in words:
        if word not in ASPECTS:
            raise ConfigurationError(f"--only {word!r}{did_you_mean(word, ASPECTS)}")
    return DiffOptions(
        aspects=tuple(a for a in ASPECTS if a in words or not words),
        artifacts=tuple(arguments.artifacts),
        code_limit=arguments.code_limit,
        require_tool=arguments.require_disassembler,
        read=ReadOptions(
            image_limit=arguments.max_image_size,
            archive_limit=arguments.max_archive_size,
            jobs=arguments.jobs,
        ),
    )


def _compare(words: list[str], revisions: str | None, options: DiffOptions) -> DiffReport:
    if revisions is not None:
        if not words:
            raise ConfigurationError("--git needs the command that builds, behind --")
        return _compare_revisions(words, revisions, options)
    if len(words) != 2 or "" in words:  # noqa: PLR2004 - OLD and NEW
        raise ConfigurationError("two paths are compared: OLD NEW, or --git A..B -- COMMAND")
    return compare_paths(Path(words[0]), Path(words[1]), options)


def _compare_revisions(build: list[str], text: str, options: DiffOptions) -> DiffReport:
    here = Path.cwd()
    revisions = resolve_range(text, here)
    with build_revisions(revisions, here, build) as folders:
        old, new = (
            (folder, revision.label) for folder, revision in zip(folders, revisions, strict=True)
        )
        return compare_labeled(old, new, options)
