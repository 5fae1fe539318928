"""``kbuild clean``: remove what ``kbuild build`` made."""

from __future__ import annotations

import argparse
import contextlib
import shutil
from pathlib import Path

from kbuild.cli.commands.build import add_folder_arguments, find_folder, report_waiting
from kbuild.errors import ConfigurationError
from kbuild.project.directory import BuildFolder, begin_configuration, hold_lock, read_ledger
from kbuild.project.manifest import MANIFEST_NAME, PROFILES, find_manifest

HELP = "Remove what kbuild build made, of all profiles or of one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_folder_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Remove the output folder, if it is one that kbuild build made."""
    manifest = arguments.manifest
    if manifest is None and arguments.output is None:
        manifest = find_manifest(Path.cwd())
    folder = find_folder((manifest or Path.cwd() / MANIFEST_NAME).absolute(), arguments)
    others = tuple(BuildFolder(root=folder.root / profile) for profile in PROFILES[1:])
    ours = (*(others if arguments.profile is None else ()), folder)
    for made in ours:
        if made.is_ours() or made.lock.is_file():
            _remove(made)
        elif made is folder and folder.root.is_dir() and any(folder.root.iterdir()):
            raise ConfigurationError(
                f"{folder.root}: kbuild build made no such folder; not removed"
            )
    return 0


def _remove(folder: BuildFolder) -> None:
    """Remove what is ours in the folder, the lock last, and the folder where nothing is left."""
    with hold_lock(folder, lambda holder: report_waiting(folder, holder)):
        begin_configuration(folder)  # what is half removed is not configured
        if folder.is_ours():
            targets = (folder.root / target for target in read_ledger(folder))
            for path in (folder.project, folder.cmake, *targets):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
            folder.ledger.unlink()
        folder.lock.unlink()
        with contextlib.suppress(OSError):  # somebody else's files, or another build's
            folder.root.rmdir()
