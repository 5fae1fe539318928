"""Compare two builds byte for byte, and report the differences."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kbuild.diff.pairing import is_configure_output
from kbuild.diff.reproducible.images import compare_images
from kbuild.diff.reproducible.model import FileDifference, ReproducibilityReport
from kbuild.diff.reproducible.parts import compare_parts
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.inspect import ReadOptions, find_artifacts
from kbuild.inspect.image_bytes import iterate_artifacts
from kbuild.inspect.options import DEFAULTS

_SINGLE_FILE: Final = ""


def compare_builds(
    first: Path, second: Path, options: ReadOptions = DEFAULTS
) -> ReproducibilityReport:
    """Compare the artifacts of two directories by relative path, or compare two files.

    Files that CMake makes during configuration are left out.

    Raises:
        InputError: A side cannot be read, or only one of them is a directory.
    """
    for path in (first, second):
        if not path.exists():
            raise InputError(f"{path}: no such file or directory")
    if first.is_dir() != second.is_dir():
        directory, file = (first, second) if first.is_dir() else (second, first)
        raise InputError(f"{directory} is a directory, but {file} is not; give two of one kind")
    left, right = _list_files(first), _list_files(second)
    names = sorted({*left, *right})
    return ReproducibilityReport(
        first=str(first),
        second=str(second),
        compared=len(names),
        files=tuple(
            difference
            for name in names
            for difference in _compare_files(name or first.name, name, left, right, options)
        ),
    )


def _list_files(path: Path) -> dict[str, Path]:
    if not path.is_dir():
        return {_SINGLE_FILE: path}
    named = {str(file.relative_to(path)): file for file in find_artifacts(path)}
    return {name: file for name, file in named.items() if not is_configure_output(name)}


def _compare_files(
    shown: str,
    name: str,
    left: Mapping[str, Path],
    right: Mapping[str, Path],
    options: ReadOptions,
) -> Iterator[FileDifference]:
    if name not in left or name not in right:
        yield FileDifference(file=shown, status="only-first" if name in left else "only-second")
        return
    first, second = left[name], right[name]
    if filecmp.cmp(first, second, shallow=False):
        return
    try:
        found = tuple(_compare_members(shown, (first, second), options))
    except InputError as error:
        yield FileDifference(file=shown, status="changed", problem=str(error))
        return
    # If all members of an archive are equal, their times or order differ.
    yield from found or (_compare_whole(shown, first.read_bytes(), second.read_bytes()),)


def _compare_members(
    shown: str, files: tuple[Path, Path], options: ReadOptions
) -> Iterator[FileDifference]:
    """Yield the differences in a file, or in each member of an archive."""
    left, right = (_list_members(file, options) for file in files)
    for member in dict.fromkeys((*left, *right)):
        name = f"{shown}{member}"
        if member not in left or member not in right:
            is_first = member in left
            yield FileDifference(file=name, status="only-first" if is_first else "only-second")
        elif bytes(left[member]) != bytes(right[member]):
            yield _explain(name, left[member], right[member], options)


def _list_members(file: Path, options: ReadOptions) -> dict[str, Buffer]:
    """Return the contents by path inside the file; of members of one name, the last."""
    return {
        name.removeprefix(str(file)): content for name, content in iterate_artifacts(file, options)
    }


def _explain(name: str, first: Buffer, second: Buffer, options: ReadOptions) -> FileDifference:
    sections = compare_parts(first, second)
    try:
        images = compare_images(name, first, second, options)
    except InputError as error:
        return FileDifference(file=name, status="changed", sections=sections, problem=str(error))
    # If the file is itself an image, list its sections only once.
    if any(image.sections == sections for image in images):
        sections = ()
    return FileDifference(file=name, status="changed", sections=sections, images=images)


def _compare_whole(name: str, first: bytes, second: bytes) -> FileDifference:
    return FileDifference(file=name, status="changed", sections=compare_parts(first, second))
