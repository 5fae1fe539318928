"""The facts of every artifact at a path: a file, an archive, a wheel, or a directory."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final, TypeVar

from kbuild import parallel
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats import wheel
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.inspect.device import read_device_file
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.file import read_host_file
from kbuild.inspect.members import Member, Nesting, find_members, is_artifact
from kbuild.inspect.options import DEFAULTS, ReadOptions
from kbuild.model import Problem
from kbuild.values import replace

T = TypeVar("T")
R = TypeVar("R")

# Below this many bytes, starting processes costs more time than it saves.
_PARALLEL: Final = 8 << 20


def inspect_path(path: Path, options: ReadOptions = DEFAULTS) -> tuple[ArtifactFacts, ...]:
    """Read the facts of every artifact at ``path``.

    An archive or wheel yields one artifact for each member, named ``outer!inner``, in the order
    of the file. A directory yields all artifacts below it, sorted by name.

    Raises:
        InputError: ``path`` is not an artifact, or cannot be read.
    """
    found: list[ArtifactFacts] = []
    for _, result in inspect_files(find_artifacts(path), options):
        if isinstance(result, InputError):
            raise result
        found.extend(result)
    return tuple(found)


def inspect_files(
    files: Sequence[Path], options: ReadOptions = DEFAULTS
) -> Iterator[tuple[Path, tuple[ArtifactFacts, ...] | InputError]]:
    """Yield each file with the facts of its artifacts, or the error that prevents reading it."""
    sizes = [file.stat().st_size if file.is_file() else 0 for file in files]
    read = _map_files(_inspect_file, files, sizes, options)
    return zip(files, read, strict=True)


def _inspect_file(path: Path, options: ReadOptions) -> tuple[ArtifactFacts, ...] | InputError:
    try:
        return inspect_content(str(path), open_content(path), options)
    except InputError as error:
        return error


def find_artifacts(path: Path) -> tuple[Path, ...]:
    """Return the sorted artifacts below a directory, or ``path`` itself if it is a file.

    Symbolic links below a directory are left out, because their target is either found as
    well or outside of the directory.
    """
    if not path.is_dir():
        return (path,)
    found: list[Path] = []
    for directory, subdirectories, names in os.walk(path, onerror=_raise_unreadable):
        subdirectories.sort()
        files = (Path(directory, name) for name in sorted(names))
        found.extend(file for file in files if _is_artifact_file(file))
    if not found:
        raise InputError(f"{path}: no artifact in this directory")
    return tuple(found)


def _raise_unreadable(error: OSError) -> None:
    raise InputError(f"{error.filename}: {error.strerror}") from error


def _is_artifact_file(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            front = stream.read(wheel.FRONT_BYTES)
    except OSError:
        return True  # inspecting it reports the error, and the other files are still read
    return is_artifact(path.name, front)


def inspect_content(
    name: str, content: Buffer, options: ReadOptions = DEFAULTS
) -> tuple[ArtifactFacts, ...]:
    """Read the facts of every artifact in ``content``; messages call it ``name``."""
    return _inspect(name, content, options, Nesting(room=wheel.Room(left=options.archive_limit)))


def _inspect(
    name: str, content: Buffer, options: ReadOptions, nesting: Nesting
) -> tuple[ArtifactFacts, ...]:
    if not content:
        raise InputError(f"{name}: the file is empty")
    members = find_members(name, content, nesting, options.jobs)
    if members is not None:
        found = tuple(_inspect_members(members, options, nesting.deeper()))
        if not found:
            raise InputError(f"{name}: no artifact in this archive")
        return found
    device_file = read_device_file(name, content, options)
    if device_file is not None:
        return (device_file,)
    if bytes(content[: len(ELF_MAGIC)]) == ELF_MAGIC:
        return (_inspect_host_file(name, content, options),)
    raise InputError(
        f"{name}: not an artifact; expected an ELF file, archive, wheel, fat binary, offload "
        "bundle, or device image"
    )


def _inspect_members(
    members: Iterable[Member], options: ReadOptions, nesting: Nesting
) -> Iterator[ArtifactFacts]:
    """Yield the facts of each member; an unreadable member becomes an artifact with a problem."""

    def inspect(member: Member, options: ReadOptions) -> tuple[ArtifactFacts, ...]:
        problem = member.problem
        if problem is None:
            try:
                return _inspect(member.path, member.data, options, nesting)
            except InputError as error:
                problem = str(error).removeprefix(f"{member.path}: ")
        return (_describe_unreadable(member, problem),)

    if isinstance(members, tuple):
        sizes = [len(member.data) for member in members]
        read = _map_files(inspect, members, sizes, options)
    else:
        # Only one decompressed member should be in memory at a time.
        read = (inspect(member, options) for member in members)
    for found in read:
        yield from found


def _describe_unreadable(member: Member, problem: str) -> ArtifactFacts:
    return ArtifactFacts(
        path=member.path,
        kind="other",
        machine=None,
        sha256=None,
        problems=(Problem(where=member.name, message=problem),),
    )


def _inspect_host_file(name: str, content: Buffer, options: ReadOptions) -> ArtifactFacts:
    try:
        return read_host_file(name, content, options)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def _map_files(
    read: Callable[[T, ReadOptions], R],
    values: Sequence[T],
    sizes: Sequence[int],
    options: ReadOptions,
) -> Iterator[R]:
    """Yield ``read`` of each value, in several processes if the values are large enough.

    If one value is larger than all others together, the values are read in this process, and
    the images of the large one are read in several.

    Args:
        read: Reads one value.
        values: The inputs of ``read``.
        sizes: The size of each value, in bytes.
        options: The options for ``read``.
    """
    total, largest = sum(sizes), max(sizes, default=0)
    if options.summary or total < _PARALLEL or largest > total - largest:
        for value in values:
            yield read(value, options)
        return
    single = replace(options, jobs=1, progress=None)
    report = options.progress or (lambda _: None)
    results = parallel.map_in_order(lambda v: read(v, single), values, jobs=options.jobs)
    for size, result in zip(sizes, results, strict=True):
        report(size)
        yield result
