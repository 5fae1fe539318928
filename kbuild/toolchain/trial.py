"""Trials: test a compiler with its linker and libraries on a program of one line."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path
from typing import Final

from kbuild import process
from kbuild.errors import ConfigurationError
from kbuild.files import sha256
from kbuild.model import Command
from kbuild.resources import find_cache
from kbuild.toolchain.probe import identify_program
from kbuild.values import replace

_LONGEST_OUTPUT: Final = 400
_LONGEST_UNUSED: Final = 30 * 24 * 3600  # seconds


def find_defect(command: Command) -> str:
    """Return the message of a tool that cannot compile and link; empty if it can.

    The user's cache remembers successes until something is installed in the directories in which
    compilers look for programs. It does not remember defects, because anything can fix them.

    Args:
        command: Compiles and links one line. It runs in an empty directory. Its program is a path.
    """
    entry = _locate_entry(command)
    if entry is not None and entry.exists():
        return ""
    import tempfile  # noqa: PLC0415 - slow to import, and most trials are known

    with tempfile.TemporaryDirectory(prefix="kbuild-trial-") as directory:
        result = process.run(replace(command, leaves_files=True), cwd=Path(directory))
    if result.returncode != 0:
        said = (result.stderr or result.stdout).strip()[:_LONGEST_OUTPUT]
        return said or f"it exits with status {result.returncode}"
    if entry is not None:
        _remember(entry)
    return ""


def _locate_entry(command: Command) -> Path | None:
    """Return the file that exists if the trial succeeded; None if the user has no cache."""
    digest = sha256(identify_program(command).encode(errors="surrogateescape"))
    try:
        return find_cache("trials") / digest[:32]
    except ConfigurationError:
        return None


def _remember(entry: Path) -> None:
    oldest = time.time() - _LONGEST_UNUSED
    with contextlib.suppress(OSError):  # a cache that cannot be written is not an error
        entry.parent.mkdir(parents=True, exist_ok=True)
        entry.touch()
        for other in entry.parent.iterdir():
            if other.stat().st_mtime < oldest:
                other.unlink(missing_ok=True)
