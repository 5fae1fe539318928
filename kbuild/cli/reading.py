"""Read artifacts, with a line on the terminal about the progress."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kbuild.cli.progress import show_progress
from kbuild.facts import ArtifactFacts
from kbuild.inspect import ReadOptions, find_artifacts, inspect_path
from kbuild.values import replace


def read_artifacts(paths: Sequence[Path], options: ReadOptions) -> tuple[ArtifactFacts, ...]:
    """Return the facts of all artifacts at some paths."""
    with report_reading([file for path in paths for file in find_artifacts(path)]) as advance:
        own = replace(options, progress=advance)
        return tuple(facts for path in paths for facts in inspect_path(path, own))


@contextmanager
def report_reading(files: Sequence[Path]) -> Iterator[Callable[[int], None]]:
    """Yield a function that receives the number of bytes that were just read."""
    total = sum(file.stat().st_size for file in files if file.is_file())
    what = files[0].name if len(files) == 1 else f"{len(files)} files"
    with show_progress(f"reading {what}", total) as advance:
        yield advance
