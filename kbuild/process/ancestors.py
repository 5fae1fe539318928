"""The processes that started this one, on Linux."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.values import dataclass

# Of the fields of /proc/PID/stat behind the name (proc(5)).
_PARENT: Final = 1
_STARTED: Final = 19


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """A process: its number and when it started, which identify it, and its short name."""

    number: int
    started: str
    name: str

    def read_command(self) -> tuple[str, ...]:
        """Return the words of its command line."""
        content = Path("/proc", str(self.number), "cmdline").read_bytes()
        return tuple(os.fsdecode(content).split("\0")[:-1])


def list_ancestors() -> Iterator[Process]:
    """Yield the processes that started this one, the nearest one first, as far as it sees them."""
    number = os.getppid()
    while number > 0:
        try:
            text = Path("/proc", str(number), "stat").read_text(encoding="utf-8", errors="replace")
        except OSError:  # a process of somebody else, or one outside of a container
            return
        name, fields = text.partition("(")[2].rpartition(")")[::2]
        words = fields.split()
        yield Process(number=number, started=words[_STARTED], name=name)
        number = int(words[_PARENT])
