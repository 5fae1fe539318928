"""The journal: a file in which a probe records its results for its parent.

The file has one line of JSON per event.  It is separate from the output of the library, and it
contains the events before a crash.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


class Journal:
    """The writer of a journal, in the probe.  Each event is in the file when `write` returns."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, **event: object) -> None:
        """Append one event."""
        with self._path.open("ab", buffering=0) as stream:
            stream.write(json.dumps(event).encode() + b"\n")


def read_journal(path: Path) -> tuple[dict[str, Any], ...]:
    """Return the events in a journal, except for a last one that is incomplete."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return ()
    return tuple(json.loads(line) for line in content.split(b"\n")[:-1])
