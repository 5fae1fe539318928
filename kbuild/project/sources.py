"""The patterns of a manifest that name sources, and the files that they name."""

from __future__ import annotations

from pathlib import Path

from kbuild.errors import ConfigurationError
from kbuild.project.state import SourcePattern, match_sources
from kbuild.stages.paths import check_encoding, check_path


def find_sources(root: Path, where: str, patterns: tuple[str, ...]) -> tuple[SourcePattern, ...]:
    """The patterns, relative to ``root``, each with its files.

    Raises ConfigurationError, which begins with ``where``, for a pattern that makes no sense or
    has no file, and for a file that build tools cannot be told of.
    """
    return tuple(_find_files(root, where, pattern) for pattern in patterns)


def _find_files(root: Path, where: str, pattern: str) -> SourcePattern:
    _check_pattern(where, pattern)
    files = match_sources(root, pattern)
    if not files:
        raise ConfigurationError(f"{where}: no source matches {pattern!r}")
    for file in files:
        check_path(file, where)
    return SourcePattern(pattern=pattern, files=files)


def _check_pattern(where: str, pattern: str) -> None:
    """Refuse what some version of pathlib refuses."""
    check_encoding(pattern, where)
    parts = Path(pattern).parts
    if not parts or "\0" in pattern:
        raise ConfigurationError(f"{where}: {pattern!r} names no file")
    wrong = next((part for part in parts if "**" in part and part != "**"), None)
    if wrong is not None:
        raise ConfigurationError(
            f"{where}: {pattern!r}: '**' stands for folders, and cannot be a part of {wrong!r}; "
            "write '**/*.cu' for files at any depth"
        )
