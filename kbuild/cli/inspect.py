"""`kbuild inspect`: what is in an artifact."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from kbuild.cli.output import add_output_arguments, artifact_path, write_output
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import find_artifacts, inspect_path
from kbuild.report import json, text

HELP: Final = "show the device images, kernels and handles of artifacts"

_RENDERERS: Final = {"text": text.render_artifacts, "json": json.render_artifacts}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "paths",
        nargs="+",
        type=artifact_path,
        metavar="PATH",
        help="object, archive, shared object, executable, wheel, cubin, PTX, fat binary, or a "
        "directory of them",
    )
    add_output_arguments(parser, tuple(_RENDERERS))


def run(arguments: argparse.Namespace) -> int:
    """Show every artifact; of several, the unreadable ones are listed and exit code is 2."""
    paths = [file for path in arguments.paths for file in find_artifacts(path)]
    results = [(path, _inspect(path)) for path in paths]
    errors = [(path, result) for path, result in results if isinstance(result, InputError)]
    if len(results) == 1 and errors:
        raise errors[0][1]
    found = [facts for _, result in results if isinstance(result, tuple) for facts in result]
    artifacts = [facts for facts in found if facts.kind != "other"]
    messages = [(str(path), str(error)) for path, error in errors]
    messages += [
        (facts.path, f"{facts.path}: {problem.message}")
        for facts in found
        if facts.kind == "other" or _is_unreadable(facts)
        for problem in facts.problems
    ]
    write_output(_RENDERERS[arguments.format](artifacts, messages), arguments)
    return InputError.exit_code if messages else 0


def _is_unreadable(facts: ArtifactFacts) -> bool:
    """Whether a file of device code alone is so damaged that nothing of it is left."""
    return facts.kind in ("image", "fat-binary") and not facts.images and bool(facts.problems)


def _inspect(path: Path) -> tuple[ArtifactFacts, ...] | InputError:
    try:
        return inspect_path(path)
    except InputError as error:
        return error
