"""``kbuild sbom``: write a bill of materials of device code."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.arguments import add_repeatable_argument
from kbuild.cli.commands.publish.arguments import add_path_argument, report_write_errors
from kbuild.cli.output import write_output
from kbuild.cli.reading import read_artifacts
from kbuild.errors import ConfigurationError, InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import ReadOptions

HELP: Final = "Write a software bill of materials of device code, as CycloneDX 1.6."
EPILOG: Final = """\
The bill lists files with device code, their images, the compilers and options that the note of a
kbuild artifact has, and the runtimes. With --build, it also lists sources and headers with their
digests and SPDX licenses. Files of other tools have no note, so their bills name no compilers.
The extra 'sbom' installs what this needs: pip install 'kbuild[sbom]'.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_path_argument(parser)
    add_repeatable_argument(
        parser,
        "--build",
        "DIR",
        "read sources from a build directory of kbuild, which made a target of the artifact",
        type=Path,
    )
    outputs = parser.add_mutually_exclusive_group()
    outputs.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the bill to FILE (default: standard output)",
    )
    outputs.add_argument(
        "--embed",
        type=Path,
        metavar="WHEEL",
        help="write the wheel to WHEEL, or under its old name to a directory, with the bill in "
        ".dist-info/sboms/ (PEP 770); WHEEL can be PATH",
    )


def run(arguments: argparse.Namespace) -> int:
    """Write the bill of materials."""
    try:
        from kbuild.sbom.document import render_bill  # noqa: PLC0415 - an extra
        from kbuild.sbom.subject import embed_bill, read_subject  # noqa: PLC0415 - an extra
    except ModuleNotFoundError as error:
        raise ConfigurationError(
            f"{error.name} is not installed; pip install 'kbuild[sbom]'"
        ) from error
    from kbuild.sbom.build_inputs import read_build  # noqa: PLC0415 - imports the stages

    path: Path = arguments.path
    subject = read_subject(path)
    artifacts = read_artifacts((path,), ReadOptions())
    _check(path, artifacts)
    records = [module.record for facts in artifacts for module in facts.modules]
    if arguments.build and not records:
        raise ConfigurationError(f"--build: {path} has no note of kbuild that names a target")
    inputs = [read_build(tuple(arguments.build), record) for record in records if arguments.build]
    bill = render_bill(subject, artifacts, inputs, is_embedded=bool(arguments.embed))
    if not arguments.embed:
        write_output(bill, arguments)
        return 0
    if not subject.is_package:
        raise ConfigurationError(f"--embed: {path} is not a wheel")
    with report_write_errors(arguments.embed):
        for name in embed_bill(path, arguments.embed, bill):
            print(f"removed {name}, which signed the old content")
    return 0


def _check(path: Path, artifacts: tuple[ArtifactFacts, ...]) -> None:
    if not any(facts.images for facts in artifacts):
        raise InputError(f"{path}: no device code to list")
