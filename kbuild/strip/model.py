"""What `kbuild strip` did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Cause: TypeAlias = Literal["architecture", "linked"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovedImages:
    """The images of one architecture that were removed from one section.

    ``bytes`` is their stored size. ``cause`` is ``architecture`` if nobody asked to keep the
    architecture, and ``linked`` for the input of a device link whose result is in the file.
    """

    section: str
    arch: str
    cause: Cause
    images: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StrippedFile:
    """One linked file with device code. ``kept`` has the architectures that are left in it."""

    path: str
    kept: tuple[str, ...]
    removed: tuple[RemovedImages, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StripReport:
    """The files with device code of an artifact, and what was removed.

    ``size`` and ``output_size`` are in bytes: of a wheel, which is compressed, or the space that
    the blocks of a file take on the disk. ``signatures`` are the files of a wheel that signed
    its old content, and were removed.
    """

    path: str
    output: str
    size: int
    output_size: int
    files: tuple[StrippedFile, ...]
    signatures: tuple[str, ...] = ()
