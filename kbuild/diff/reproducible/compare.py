"""Two builds to a report of what is not the same in them."""

from __future__ import annotations

import filecmp
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kbuild.diff.pairing import is_scratch
from kbuild.diff.reproducible.images import compare_images
from kbuild.diff.reproducible.model import FileDifference, ReproducibilityReport
from kbuild.diff.reproducible.parts import compare_parts
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.inspect import ReadOptions, find_artifacts
from kbuild.inspect.image_bytes import iterate_artifacts
from kbuild.inspect.options import DEFAULTS

_ONE: Final = ""


def compare_builds(
    first: Path, second: Path, options: ReadOptions = DEFAULTS
) -> ReproducibilityReport:
    """The report on the artifacts of two folders, by their paths below them, or on two files.

    What CMake makes while it configures is left out.  Raises InputError where a side cannot be
    read, or is a folder and the other is none.
    """
    for path in (first, second):
        if not path.exists():
            raise InputError(f"{path}: no such file or directory")
    if first.is_dir() != second.is_dir():
        folder, file = (first, second) if first.is_dir() else (second, first)
        raise InputError(f"{folder} is a directory and {file} is not: they cannot be compared")
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
        return {_ONE: path}
    named = {str(file.relative_to(path)): file for file in find_artifacts(path)}
    return {name: file for name, file in named.items() if not is_scratch(name)}


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
    # Of archives it may be the members' times and order alone.
    yield from found or (_compare_whole(shown, first.read_bytes(), second.read_bytes()),)


def _compare_members(
    shown: str, files: tuple[Path, Path], options: ReadOptions
) -> Iterator[FileDifference]:
    """What differs in the file, or in each member that it has."""
    left, right = (_list_members(file, options) for file in files)
    for member in dict.fromkeys((*left, *right)):
        name = f"{shown}{member}"
        if member not in left or member not in right:
            is_first = member in left
            yield FileDifference(file=name, status="only-first" if is_first else "only-second")
        elif bytes(left[member]) != bytes(right[member]):
            yield _explain(name, left[member], right[member], options)


def _list_members(file: Path, options: ReadOptions) -> dict[str, Buffer]:
    """Contents by what follows the file's own name; of members of one name the last."""
    return {
        name.removeprefix(str(file)): content for name, content in iterate_artifacts(file, options)
    }


def _explain(name: str, first: Buffer, second: Buffer, options: ReadOptions) -> FileDifference:
    sections = compare_parts(first, second)
    try:
        images = compare_images(name, first, second, options)
    except InputError as error:
        return FileDifference(file=name, status="changed", sections=sections, problem=str(error))
    # A file may be an image itself, whose sections are said once.
    if any(image.sections == sections for image in images):
        sections = ()
    return FileDifference(file=name, status="changed", sections=sections, images=images)


def _compare_whole(name: str, first: bytes, second: bytes) -> FileDifference:
    return FileDifference(file=name, status="changed", sections=compare_parts(first, second))
