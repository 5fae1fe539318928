"""Where the catalogue's files are built: each once, however many processes ask for it."""

from __future__ import annotations

import fcntl
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.commands import run, succeed

_BUILT = "built"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """A folder of built files that the workers of a test run share."""

    folder: Path

    def file(self, name: str, make: Callable[[Path], object]) -> Path:
        """The file ``name``, made by ``make`` for whoever asks first."""
        path = self.folder / "files" / name
        lock_path = self.folder / "locks" / name.replace("/", "!")
        for folder in (path.parent, lock_path.parent):
            folder.mkdir(parents=True, exist_ok=True)
        with lock_path.open("a+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            lock.seek(0)
            if lock.read() != _BUILT:
                make(path)
                # A file that is there may be what a failed attempt left.
                lock.write(_BUILT)
        return path

    def text(self, name: str, text: str) -> Path:
        """A source file with this text."""
        return self.file(name, lambda path: path.write_text(text))

    def edit(self, name: str, sound: Path, edit: Callable[[bytes], bytes]) -> Path:
        """A copy of ``sound`` under its own name, edited; ``name`` tells it from others."""

        def make(path: Path) -> None:
            before = sound.read_bytes()
            after = edit(before)
            assert after != before, f"{name} changes nothing"
            path.write_bytes(after)

        return self.file(f"edited/{name}/{sound.name}", make)

    def call(self, name: str, *argv: object, cwd: Path | None = None) -> Path:
        """The file ``name``, which the command writes: its path follows ``argv``."""
        return self.file(name, lambda path: succeed(run(*argv, path, cwd=cwd)))
