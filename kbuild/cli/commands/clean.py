"""``kbuild clean``: remove the files that ``kbuild build`` made."""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from kbuild.cli.builds import report_waiting
from kbuild.cli.commands.build import add_directory_arguments, locate_build
from kbuild.errors import ConfigurationError
from kbuild.project.directory import BuildDirectory, hold_lock, remove_build
from kbuild.project.manifest.read import MANIFEST_NAME, find_manifest
from kbuild.project.manifest.tables import PROFILES
from kbuild.stages.paths import normalize

HELP = "Remove what kbuild build made."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_directory_arguments(parser, "remove only the build of this profile (default: all)")


def run(arguments: argparse.Namespace) -> int:
    """Remove the build directory if ``kbuild build`` made it."""
    manifest = arguments.manifest
    if manifest is None and arguments.output is None:
        manifest = find_manifest(Path.cwd())
    root = normalize((manifest or Path.cwd() / MANIFEST_NAME).absolute()).parent
    directory = locate_build(root, arguments.output, arguments.profile)
    nested = [BuildDirectory(root=directory.root / profile) for profile in PROFILES[1:]]
    for build in (*(nested if arguments.profile is None else ()), directory):
        if build.is_claimed() or build.lock.is_file():
            _remove(build)
        elif build is directory and build.root.is_dir() and any(build.root.iterdir()):
            raise ConfigurationError(
                f"{build.root}: not removed, because kbuild build did not create it"
            )
    return 0


def _remove(directory: BuildDirectory) -> None:
    with hold_lock(directory, lambda holder: report_waiting(directory, holder)):
        remove_build(directory)
        # Other files, or the build of another profile, can be left.
        with contextlib.suppress(OSError):
            directory.root.rmdir()
