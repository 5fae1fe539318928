"""Find the source files that the patterns of a manifest match."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild.errors import ConfigurationError, suggest
from kbuild.files import read_file
from kbuild.project.directory import DEFAULT_OUTPUT
from kbuild.stages.paths import check_encoding, check_length, check_path, normalize
from kbuild.stages.sources.host_code import needs_host_pass

# pathlib follows the parts of a pattern by recursion.
_MOST_PARTS: Final = 100
_SHOWN: Final = 60
_KERNEL_SUFFIXES: Final = (".cu", ".hip")
_HOST_SUFFIXES: Final = (".c", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".CPP")


def find_sources(root: Path, patterns: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files that ``patterns`` match.

    Args:
        root: The directory of the manifest. Relative patterns start there.
        patterns: Absolute paths, or patterns as `Path.glob` defines them.

    Returns:
        Each file once, in the order of the patterns. The matches of one pattern are sorted.

    Raises:
        ConfigurationError: A pattern is invalid or matches no file, or build tools cannot handle
            the name of a file.
    """
    found = (file for pattern in patterns for file in _find_files(root, pattern))
    return tuple(dict.fromkeys(map(normalize, found)))


def _find_files(root: Path, pattern: str) -> tuple[Path, ...]:
    _check_pattern(pattern)
    files = match_files(root, pattern)
    if not files:
        hint = _suggest_file(root, pattern) or "; check the name, which starts at this directory"
        raise ConfigurationError(f"no source matches {pattern!r} in {root}{hint}")
    for file in files:
        check_path(file)
    return files


def _suggest_file(root: Path, pattern: str) -> str:
    """Return a question that names the nearest file in the same directory, or nothing."""
    directory = Path(pattern).parent
    if not (root / directory).is_dir():
        return ""
    return suggest(pattern, [str(directory / path.name) for path in (root / directory).iterdir()])


def _check_pattern(pattern: str) -> None:
    """Reject patterns that some versions of pathlib reject."""
    check_encoding(pattern)
    check_length(pattern)
    parts = Path(pattern).parts
    if not parts or "\0" in pattern:
        raise ConfigurationError(f"{pattern!r} is not a file name or pattern")
    if len(parts) > _MOST_PARTS:
        raise ConfigurationError(
            f"the pattern {pattern[:_SHOWN]!r}... has {len(parts)} parts; expected at most "
            f"{_MOST_PARTS}"
        )
    wrong = next((part for part in parts if "**" in part and part != "**"), None)
    if wrong is not None:
        raise ConfigurationError(
            f"{pattern!r}: '**' matches directories and cannot be a part of {wrong!r}; "
            "write '**/*.cu' for files at any depth"
        )


def is_kernel_source(path: Path) -> bool:
    """Return whether a file can contain kernels, judging by its name."""
    return path.suffix in _KERNEL_SUFFIXES


def contains_host_code(path: Path) -> bool:
    """Return whether a kernel source also contains code for the host."""
    return is_kernel_source(path) and needs_host_pass(read_file(path))


def is_host_source(path: Path) -> bool:
    """Return whether a file is a C or C++ source, judging by its name."""
    return path.suffix in _HOST_SUFFIXES


def match_files(root: Path, pattern: str) -> tuple[Path, ...]:
    """Return the files that a pattern matches, in sorted order, without build outputs."""
    if Path(pattern).is_absolute():
        return (Path(pattern),) if Path(pattern).is_file() else ()
    outputs = root / DEFAULT_OUTPUT
    matches = (path for path in root.glob(pattern) if outputs not in path.parents)
    return tuple(sorted(path for path in matches if path.is_file()))
