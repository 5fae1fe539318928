"""How a probe tells its parent what happened: a file with a line of JSON for each event.

A file survives whatever the library prints, and holds what was known before a crash.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Journal:
    """The probe's side: every event is in the file once `write` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, **event: object) -> None:
        """Add one event."""
        with self._path.open("ab", buffering=0) as stream:
            stream.write(json.dumps(event).encode() + b"\n")


def read_journal(path: Path) -> tuple[dict[str, Any], ...]:
    """The parent's side: the events, without a last one that was cut off."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    return tuple(json.loads(line) for line in content.split(b"\n")[:-1])
