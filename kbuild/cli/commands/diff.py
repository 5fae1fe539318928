"""``kbuild diff``: show what changed in the kernels between two builds."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import (
    add_color_argument,
    add_output_arguments,
    add_repeatable_argument,
    parse_count,
)
from kbuild.cli.commands.inspect import add_limit_arguments
from kbuild.cli.output import write_report
from kbuild.cli.progress import show_activity
from kbuild.diff.compare import compare_labeled, compare_paths
from kbuild.diff.inputs import DEFAULT_CODE_LIMIT, DiffOptions
from kbuild.diff.model import ASPECTS, DiffReport
from kbuild.diff.revisions import build_revisions, resolve_range
from kbuild.diff.runs import run_commands
from kbuild.errors import ConfigurationError, InputError, did_you_mean
from kbuild.inspect import ReadOptions
from kbuild.report.diff import json as diff_json
from kbuild.report.diff import markdown as diff_markdown
from kbuild.report.diff import text as diff_text
from kbuild.report.page.html import render_comparison
from kbuild.values import replace

HELP: Final = "Show what changed in the kernels between two artifacts, directories, or revisions."
EPILOG: Final = """\
kbuild diff OLD NEW
kbuild diff --git A..B|A [--artifacts GLOB] -- BUILD COMMAND
  Checks out both revisions into temporary work trees with the same path, runs the command in
  each, and compares all artifacts there. A...B compares B with the common ancestor of A and B.
  A alone compares A with a copy of your work tree.
kbuild diff --run OLD_COMMAND NEW_COMMAND
  Runs both commands, each of them one quoted word, in a shell, and compares the kernels that their
  processes compile with kbuild. KBUILD_DUMP does the same in separate steps.
kbuild diff --git A..B|A --run COMMAND [-- BUILD COMMAND]
  Builds both revisions, runs the command in each, and compares the kernels that it compiles, test
  by test if it runs pytest or ctest.
Exit codes: 0 if nothing differs, 1 if something differs, 2 if a part cannot be read, 3 if
--require-disassembler finds no disassembler, 4 if the build or a command fails or, with
--require-disassembler, the disassembler fails.
If the bytes of a kernel differ, its code is compared: PTX as text, and machine code with nvdisasm,
llvm-objdump, or objdump. docs/how-to/compare-builds.md explains which differences are ignored."""

_RENDERERS: Final[dict[str, Callable[..., str]]] = {
    "text": diff_text.render,
    "json": diff_json.render,
    "markdown": diff_markdown.render,
    "html": render_comparison,
}
_UNREADABLE: Final = InputError.exit_code


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="*",
        metavar="PATH",
        help="compare OLD and NEW: artifacts that kbuild inspect reads, or directories",
    )
    parser.add_argument(
        "--git",
        metavar="A..B|A",
        help="build and compare two revisions, or one revision and the work tree",
    )
    parser.add_argument(
        "--run",
        nargs="+",
        metavar="COMMAND",
        help="run two commands, or one in each revision of --git, and compare the kernels that "
        "they compile at run time",
    )
    add_repeatable_argument(
        parser,
        "--artifacts",
        "GLOB",
        "compare only files whose path in the directories matches",
    )
    add_repeatable_argument(
        parser,
        "--only",
        "ASPECTS",
        f"compare only these aspects, comma-separated: {', '.join(ASPECTS)}",
    )
    parser.add_argument(
        "--code-limit",
        type=parse_count("functions", 0, 999_999_999),
        default=DEFAULT_CODE_LIMIT,
        metavar="N",
        help="disassemble at most N functions, and list the others (default: %(default)s)",
    )
    parser.add_argument(
        "--require-disassembler",
        action="store_true",
        help="fail if code differs and there is no disassembler",
    )
    add_limit_arguments(parser)
    add_color_argument(parser)
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Compare, and print the report. Return 1 if anything differs."""
    options = _read_options(arguments)
    words: list[str] = arguments.paths
    # The report must not overwrite an artifact. With --git, these words are a command.
    arguments.paths = [] if arguments.git else [Path(word) for word in words]
    if arguments.git is not None:
        report = _compare_revisions(words, arguments.git, arguments.run, options)
    elif arguments.run:
        report = _compare_runs(arguments.run, words, options)
    else:
        report = _compare(words, options)
    write_report(report, _RENDERERS, arguments)
    if report.unreadable:
        print("kbuild: some parts could not be read and were not compared", file=sys.stderr)
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


def _compare(words: list[str], options: DiffOptions) -> DiffReport:
    if len(words) != 2 or "" in words:  # noqa: PLR2004 - OLD and NEW
        raise ConfigurationError(
            "expected two paths, OLD NEW, or --git A..B -- COMMAND, or --run OLD_COMMAND "
            "NEW_COMMAND"
        )
    with show_activity(lambda: f"comparing {words[0]} with {words[1]}"):
        return compare_paths(Path(words[0]), Path(words[1]), options)


def _compare_runs(commands: list[str], words: list[str], options: DiffOptions) -> DiffReport:
    if words or len(commands) != 2:  # noqa: PLR2004 - OLD and NEW
        raise ConfigurationError(
            f"--run takes exactly two commands, or one with --git, but got "
            f"{len(commands) + len(words)}; quote each command as one word"
        )
    old, new = commands
    with run_commands(commands) as (before, after):
        options = replace(options, counts_launches=True)
        return compare_labeled((before, old), (after, new), options)


def _compare_revisions(
    build: list[str], text: str, tests: list[str] | None, options: DiffOptions
) -> DiffReport:
    if not build and not tests:
        raise ConfigurationError("--git expects the build command after --, or --run COMMAND")
    if tests and len(tests) > 1:
        raise ConfigurationError(
            f"--run takes one command with --git, but got {len(tests)}; quote the command as one "
            "word, and write the build command after --"
        )
    here = Path.cwd()
    revisions = resolve_range(text, here)
    with build_revisions(revisions, here, build, tests[0] if tests else None) as directories:
        old, new = (
            (directory, revision.label)
            for directory, revision in zip(directories, revisions, strict=True)
        )
        # All kernels of a revision can be new.
        chosen = replace(options, can_be_empty=bool(tests), counts_launches=bool(tests))
        return compare_labeled(old, new, chosen)
