"""Programs that ``kbuild run`` builds: each one is a target in its own directory of the cache."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Final

from kbuild import files, records
from kbuild.errors import ConfigurationError
from kbuild.project.directory import BuildDirectory, remove_unused_build
from kbuild.project.generate import BuildSettings
from kbuild.project.manifest.read import make_target
from kbuild.project.manifest.tables import Manifest, TargetTable
from kbuild.resources import find_cache

# The name of the target in each directory.
TARGET: Final = "program"
MOST_PROGRAMS: Final = 50
# A program that was just built is not running yet, and nothing else tells that it is used.
_SHORTEST_UNUSED: Final = 3600  # seconds
_SCHEMA: Final = "kbuild.program/2"


def describe_program(table: TargetTable) -> Manifest:
    """Return the manifest of a program. Paths in its table are absolute.

    Raises:
        ConfigurationError: A setting of the program is not supported.
    """
    root = find_cache("run")
    return Manifest(root=root, targets=(make_target(root, TARGET, table),))


def locate_program(program: Manifest, settings: BuildSettings) -> BuildDirectory:
    """Return the directory in the cache in which a program is built with these settings."""
    (target,) = program.targets
    digest = files.sha256(records.dump(_SCHEMA, {"program": target.table, "settings": settings}))
    return BuildDirectory(root=program.root / digest[:16])


def remove_old_programs(cache: Path) -> None:
    """Remove the programs that were not run for the longest time, except for the last ones."""
    used: list[tuple[float, BuildDirectory]] = []
    for root in cache.glob("*"):
        directory = BuildDirectory(root=root)
        with contextlib.suppress(OSError):  # another process removed it
            used.append((directory.lock.stat().st_mtime, directory))
    used.sort(key=lambda entry: entry[0], reverse=True)
    for _, directory in used[MOST_PROGRAMS:]:
        remove_unused_build(directory, time.time() - _SHORTEST_UNUSED)


def copy_program(program: Path, target: Path) -> Path:
    """Copy a program with its permissions, also over one that is running. Return the copy's path.

    Raises:
        ConfigurationError: The copy cannot be written.
    """
    try:
        files.write_parts(target, (program.read_bytes(),), mode=program.stat().st_mode)
    except OSError as error:
        raise ConfigurationError(f"{target}: {error.strerror}") from error
    return target
