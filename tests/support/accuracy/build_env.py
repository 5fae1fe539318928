"""Builds the files of the catalog, each only once for all processes of a test run."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.commands import run, succeed

_BUILT = "built"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildEnv:
    """A directory of built files that the workers of a test run share."""

    directory: Path

    def file(self, name: str, make: Callable[[Path], object]) -> Path:
        """Return the file ``name``. The first caller creates it with ``make``."""
        path = self.directory / "files" / name
        lock_path = self.directory / "locks" / name.replace("/", "!")
        for directory in (path.parent, lock_path.parent):
            directory.mkdir(parents=True, exist_ok=True)
        with lock_path.open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.seek(0)
            if lock.read() != _BUILT:
                make(path)
                # The lock file says so, because a failed attempt can leave a file.
                lock.write(_BUILT)
        return path

    def text(self, name: str, text: str) -> Path:
        """Return a source file with this text."""
        return self.file(name, lambda path: path.write_text(text))

    def edit(self, name: str, sound: Path, edit: Callable[[bytes], bytes]) -> Path:
        """Return an edited copy of ``sound`` with the same file name. ``name`` is its directory."""

        def make(path: Path) -> None:
            before = sound.read_bytes()
            after = edit(before)
            assert after != before, f"{name} changes nothing"
            path.write_bytes(after)

        return self.file(f"edited/{name}/{sound.name}", make)

    def call(self, name: str, *argv: object, cwd: Path | None = None) -> Path:
        """Return the file ``name``. The command writes it, and its path is the last argument."""
        return self.file(name, lambda path: succeed(run(*argv, path, cwd=cwd)))
