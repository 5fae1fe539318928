"""``kbuild clean``: remove what ``kbuild build`` made."""

from __future__ import annotations

import argparse
import contextlib
import shutil
from pathlib import Path

from kbuild.build_folder import BuildFolder, begin_configuration, hold_lock
from kbuild.cli.build import add_folder_arguments, find_folder, report_waiting
from kbuild.errors import ConfigurationError
from kbuild.manifest import PROFILES, find_manifest

HELP = "Remove what kbuild build made, of all profiles or of one."


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add_folder_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Remove the output folder, if it is one that kbuild build made."""
    manifest = (arguments.manifest or find_manifest(Path.cwd())).absolute()
    folder = find_folder(manifest, arguments)
    others = tuple(BuildFolder(root=folder.root / profile) for profile in PROFILES[1:])
    others = tuple(other for other in others if _is_ours(other))
    if arguments.profile is None:
        for other in others:
            _remove(other, ())
    if _is_ours(folder):
        _remove(folder, tuple(other.root for other in others))
    elif folder.root.is_dir() and any(folder.root.iterdir()) and not others:
        raise ConfigurationError(f"{folder.root}: kbuild build made no such folder; not removed")
    return 0


def _is_ours(folder: BuildFolder) -> bool:
    return folder.lock.is_file() or (folder.project / "CMakeLists.txt").is_file()


def _remove(folder: BuildFolder, kept: tuple[Path, ...]) -> None:
    """Remove the folder but for those that are ``kept`` in it, the lock last."""
    with hold_lock(folder, lambda holder: report_waiting(folder, holder)):
        begin_configuration(folder)  # what is half removed is not configured
        for path in folder.root.iterdir():
            if path == folder.lock or path in kept:
                continue
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        folder.lock.unlink()
        with contextlib.suppress(OSError):  # another build is there already, or a profile's
            folder.root.rmdir()
