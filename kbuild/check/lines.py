"""Which lines with instrumented accesses have run in a checked program."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from kbuild.check.journals import ProcessJournal
from kbuild.check.report import SourceCoverage


def join_lines(journals: Iterable[ProcessJournal], here: Path) -> tuple[SourceCoverage, ...] | None:
    """Return the lines of all processes. A line has run if it has in one of them.

    Args:
        journals: What the processes have said.
        here: The directory that paths of sources are relative to.

    Returns:
        None if a process with kernels has not run to its end, so that its lines are unknown.
    """
    sources: dict[str, dict[int, bool]] = {}
    for journal in journals:
        if journal.lines is None:
            if journal.images:
                return None
            continue
        for source, line, has_run in journal.lines:
            lines = sources.setdefault(source, {})
            lines[line] = lines.get(line, False) or has_run
    return tuple(
        SourceCoverage(
            source=shorten(source, here),
            run=tuple(line for line in sorted(lines) if lines[line]),
            not_run=tuple(line for line in sorted(lines) if not lines[line]),
        )
        for source, lines in sorted(sources.items())
    )


def shorten(file: str, here: Path) -> str:
    """Return the path of a source relative to a directory, if it is below."""
    path = Path(file)
    return str(path.relative_to(here)) if path.is_relative_to(here) else file
