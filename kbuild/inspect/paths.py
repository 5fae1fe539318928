"""From a path to the facts of every artifact in it: files, archives, wheels, directories."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, TypeVar

from kbuild import parallel
from kbuild.backends import list_readers
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.formats import archive, wheel
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.file import ELF_MAGIC
from kbuild.formats.nvidia.ptx.text import looks_like_ptx
from kbuild.inspect.device import read_device_file
from kbuild.inspect.file_content import open_content
from kbuild.inspect.host.file import read_host_file
from kbuild.inspect.options import DEFAULTS, ReadOptions
from kbuild.model import Problem

T = TypeVar("T")
R = TypeVar("R")

# Starting processes pays from here on, in bytes.
_PARALLEL: Final = 8 << 20

_MAGIC_NUMBERS: Final = (ELF_MAGIC, archive.MAGIC, archive.THIN_MAGIC, wheel.MAGIC)
_WHEEL_SUFFIX: Final = ".whl"
# Wheels in wheels exist; deeper nesting is somebody's joke.
_DEEPEST: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _Nesting:
    """How deep in archives a content lies, and what of them may still be decompressed."""

    depth: int
    room: wheel.Room


def inspect_path(path: Path, options: ReadOptions = DEFAULTS) -> tuple[ArtifactFacts, ...]:
    """The facts of every artifact at ``path``, in the order of the file or by name.

    An archive gives one for each object in it, named ``outer!inner``; a directory every
    artifact below it.  Raises InputError for what is no artifact or cannot be read.
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
    """The facts of what is in each file, or why it cannot be read, in the given order."""
    sizes = [file.stat().st_size if file.is_file() else 0 for file in files]
    read = map_each(_inspect_file, files, sizes, options)
    return zip(files, read, strict=True)


def _inspect_file(path: Path, options: ReadOptions) -> tuple[ArtifactFacts, ...] | InputError:
    try:
        return inspect_content(str(path), open_content(path), options)
    except InputError as error:
        return error


def find_artifacts(path: Path) -> tuple[Path, ...]:
    """``path`` itself, or the artifacts below it when it is a directory, sorted.

    Symbolic links below a directory are left out, because what they lead to is either
    there too or outside.
    """
    if not path.is_dir():
        return (path,)
    found: list[Path] = []
    for directory, folders, names in os.walk(path, onerror=_refuse):
        folders.sort()
        files = (Path(directory, name) for name in sorted(names))
        found.extend(file for file in files if _is_artifact_file(file))
    if not found:
        raise InputError(f"{path}: no artifact in this directory")
    return tuple(found)


def _refuse(error: OSError) -> None:
    raise InputError(f"{error.filename}: {error.strerror}") from error


def _is_artifact_file(path: Path) -> bool:
    if path.is_symlink() or not path.is_file():
        return False
    try:
        with path.open("rb") as stream:
            front = stream.read(wheel.FRONT_BYTES)
    except OSError:
        return True  # which reading it will say, and the others are read
    if wheel.is_wheel(front):
        return path.suffix == _WHEEL_SUFFIX  # other zip archives are documents and the like
    return is_artifact(front)


def is_artifact(front: bytes) -> bool:
    """Whether a file that starts so is for us to read."""
    if front.startswith(_MAGIC_NUMBERS) or looks_like_ptx(front):
        return True
    return any(reader.is_fat_binary(front) for reader in list_readers())


def inspect_content(
    name: str, content: Buffer, options: ReadOptions = DEFAULTS
) -> tuple[ArtifactFacts, ...]:
    """The facts of every artifact in ``content``, which ``name`` names in messages."""
    room = wheel.Room(left=options.archive_limit)
    return _inspect_content(name, content, options, _Nesting(depth=0, room=room))


def _inspect_content(
    name: str, content: Buffer, options: ReadOptions, nesting: _Nesting
) -> tuple[ArtifactFacts, ...]:
    if not content:
        raise InputError(f"{name}: the file is empty")
    front = bytes(content[: wheel.FRONT_BYTES])
    if archive.is_archive(front):
        return _inspect_archive(name, content, options, nesting)
    if wheel.is_wheel(front):
        return _inspect_wheel(name, content, options, nesting)
    device_file = read_device_file(name, content, options)
    if device_file is not None:
        return (device_file,)
    if front.startswith(ELF_MAGIC):
        return (_inspect_host_file(name, content, options),)
    raise InputError(
        f"{name}: not an artifact (no ELF file, archive, wheel, fat binary, offload bundle "
        "or device image)"
    )


def _inspect_archive(
    name: str, content: Buffer, options: ReadOptions, nesting: _Nesting
) -> tuple[ArtifactFacts, ...]:
    _check_depth(name, nesting.depth)
    try:
        members = archive.read_members(content)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    # Archives may hold anything; what is no object has no kernels to look for.
    objects = [m for m in members if is_artifact(bytes(m.data[: wheel.FRONT_BYTES]))]
    if not objects:
        raise InputError(f"{name}: the archive holds no object file")
    sizes = [len(member.data) for member in objects]
    read = map_each(
        lambda member, inner: _inspect_member(
            f"{name}!{member.name}", member.name, member.data, inner, nesting
        ),
        *(objects, sizes, options),
    )
    return tuple(facts for found in read for facts in found)


def _check_depth(name: str, depth: int) -> None:
    if depth >= _DEEPEST:
        raise InputError(f"{name}: archives nested more than {_DEEPEST} deep are not read")


def _inspect_wheel(
    name: str, content: Buffer, options: ReadOptions, nesting: _Nesting
) -> tuple[ArtifactFacts, ...]:
    _check_depth(name, nesting.depth)
    found: list[ArtifactFacts] = []
    members = wheel.iterate_members(content, is_artifact, room=nesting.room)
    try:
        for member in members:
            inner = f"{name}!{member.name}"
            if member.problem is not None:
                found.append(_describe_unreadable(inner, member.name, member.problem))
            else:
                found.extend(_inspect_member(inner, member.name, member.data, options, nesting))
    except InputError as error:
        raise InputError(f"{name}: {error}") from error
    if not found:
        raise InputError(f"{name}: no artifact in this archive")
    return tuple(found)


def _inspect_member(
    name: str, member: str, data: Buffer, options: ReadOptions, nesting: _Nesting
) -> tuple[ArtifactFacts, ...]:
    """What a member holds; one that cannot be read is an artifact with a problem."""
    deeper = _Nesting(depth=nesting.depth + 1, room=nesting.room)
    try:
        return _inspect_content(name, data, options, deeper)
    except InputError as error:
        problem = str(error).removeprefix(f"{name}: ")
        return (_describe_unreadable(name, member, problem),)


def _describe_unreadable(name: str, member: str, problem: str) -> ArtifactFacts:
    unreadable = Problem(where=member, message=problem)
    return ArtifactFacts(path=name, kind="other", machine=None, sha256=None, problems=(unreadable,))


def _inspect_host_file(name: str, content: Buffer, options: ReadOptions) -> ArtifactFacts:
    try:
        return read_host_file(name, content, options)
    except InputError as error:
        raise InputError(f"{name}: {error}") from error


def map_each(
    read: Callable[[T, ReadOptions], R],
    values: Sequence[T],
    sizes: Sequence[int],
    options: ReadOptions,
) -> Iterator[R]:
    """``read`` of each value, on several cores where that pays: many values, or large ones.

    Where one is larger than all others together, its own images are read on several cores.
    """
    total, largest = sum(sizes), max(sizes, default=0)
    if options.summary or total < _PARALLEL or largest > total - largest:
        for value in values:
            yield read(value, options)
        return
    alone = replace(options, jobs=1, progress=None)
    report = options.progress or (lambda _: None)
    results = parallel.map_in_order(lambda v: read(v, alone), values, jobs=options.jobs)
    for size, result in zip(sizes, results, strict=True):
        report(size)
        yield result
