"""Report what several commands of a build find once: the edges of a source for its architectures.

`kbuild build` reads the output of its build and selects lines itself. Other build tools show what
each command prints, so the commands of a directory share a record of what they have reported.
"""

from __future__ import annotations

import fcntl
import json
import os
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Final

from kbuild.errors import KbuildError, SourceError, ToolError
from kbuild.process.ancestors import list_ancestors
from kbuild.process.diagnostics import select_once
from kbuild.process.environment import EVENTS_VARIABLE
from kbuild.values import dataclass

_SHELLS: Final = frozenset(("sh", "bash", "dash"))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Record:
    """What the edges of a build have reported: the build, the edges that failed, and their logs."""

    build: str
    edges: tuple[str, ...] = ()
    logs: tuple[str, ...] = ()


def select_new(error: KbuildError, path: Path, edge: str) -> KbuildError:
    """Return the error without what other edges of this build have reported.

    Args:
        error: The failure of an edge. Only that of a tool, and that of a source, can repeat others.
        path: The record of the edges in a directory.
        edge: The name of the edge. If it has failed before, this is another build.
    """
    if EVENTS_VARIABLE in os.environ or not isinstance(error, ToolError | SourceError):
        return error
    build = _name_build()
    log = error.log if isinstance(error, ToolError) else str(error)
    if not build:
        return error
    with path.open("a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        record = _read(file.read(), build, edge)
        new = select_once(*record.logs, log).removeprefix(select_once(*record.logs)).rstrip("\n")
        file.truncate(0)
        edges, logs = (*record.edges, edge), (*record.logs, new)
        json.dump(asdict(_Record(build=record.build, edges=edges, logs=logs)), file)
    if log and not new:
        return type(error)(f"{edge}: the same errors as above")
    if isinstance(error, ToolError):
        return ToolError(error.message, log=new, command=error.command)
    return SourceError(new)


def _read(text: str, build: str, edge: str) -> _Record:
    """Return the record of a build, which is empty if the text is that of another one."""
    with suppress(ValueError):  # the file is new, or the disk was full
        found = json.loads(text)
        if found["build"] == build and edge not in found["edges"]:
            return _Record(build=build, edges=tuple(found["edges"]), logs=tuple(found["logs"]))
    return _Record(build=build)


def _name_build() -> str:
    """Return what tells the running build from others: its process, and when that started.

    It is empty if that is unknown.
    """
    build = next((each for each in list_ancestors() if each.name not in _SHELLS), None)
    return f"{build.number} {build.started}" if build else ""
