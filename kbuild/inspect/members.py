"""The artifacts inside archives and wheels, named ``outer!inner``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends import list_readers
from kbuild.errors import InputError
from kbuild.formats import archive, wheel
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import ELF_MAGIC
from kbuild.formats.nvidia.ptx.reader import looks_like_ptx
from kbuild.formats.portable_executable import is_portable_executable
from kbuild.values import dataclass

_MAGIC_NUMBERS: Final = (ELF_MAGIC, archive.MAGIC, archive.THIN_MAGIC)
# Wheels inside wheels exist. Deeper nesting is not a real package.
_MAX_DEPTH: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Nesting:
    """The number of archives around some content, and how much can still be decompressed."""

    depth: int = 0
    room: wheel.Room

    def deeper(self) -> Nesting:
        """Return the nesting of a member of this content."""
        return Nesting(depth=self.depth + 1, room=self.room)


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An artifact directly inside an archive or wheel.

    ``path`` is ``outer!inner``, and ``name`` is only the inner part. If the member cannot be
    read, ``problem`` gives the reason and ``data`` is empty.
    """

    path: str
    name: str
    data: Buffer
    problem: str | None = None


def is_artifact(name: str, front: bytes) -> bool:
    """Return whether a file in a directory or an archive is an artifact that kbuild reads.

    Zip archives that are not wheels are documents, arrays of NumPy, and the like.

    Args:
        name: The name of the file.
        front: The first bytes of the file.
    """
    if wheel.is_wheel(front):
        return name.endswith(wheel.SUFFIX)
    if front.startswith(_MAGIC_NUMBERS) or looks_like_ptx(front) or is_portable_executable(front):
        return True
    return any(reader.is_fat_binary(front) for reader in list_readers())


def find_members(
    path: str, content: Buffer, nesting: Nesting, jobs: int | None = 1
) -> tuple[Member, ...] | Iterator[Member] | None:
    """Find the artifacts directly inside an archive or wheel.

    Returns:
        A tuple for an archive, whose members are views of ``content``. An iterator for a wheel,
        which decompresses a few members at a time. None if ``content`` is neither.

    Raises:
        InputError: The archive is damaged or nested too deeply. A damaged wheel raises it
            during iteration.
    """
    front = bytes(content[: wheel.FRONT_BYTES])
    is_archive, is_wheel = archive.is_archive(front), wheel.is_wheel(front)
    if (is_archive or is_wheel) and nesting.depth >= _MAX_DEPTH:
        raise InputError(f"{path}: archives nested more than {_MAX_DEPTH} deep are not read")
    if is_archive:
        return _read_archive(path, content)
    return _iterate_wheel(path, content, nesting.room, jobs) if is_wheel else None


def _read_archive(path: str, content: Buffer) -> tuple[Member, ...]:
    try:
        members = archive.read_members(content)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return tuple(
        Member(path=f"{path}!{member.name}", name=member.name, data=member.data)
        for member in members
        if is_artifact(member.name, bytes(member.data[: wheel.FRONT_BYTES]))
    )


def _iterate_wheel(
    path: str, content: Buffer, room: wheel.Room, jobs: int | None
) -> Iterator[Member]:
    try:
        for member in wheel.iterate_members(content, is_artifact, room=room, jobs=jobs):
            yield Member(
                path=f"{path}!{member.name}",
                name=member.name,
                data=member.data,
                problem=member.problem,
            )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
