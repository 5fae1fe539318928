"""What `kbuild strip`, `split`, and `merge` did."""

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
    """One linked file with device code.

    ``kept`` has the architectures that are left in it. ``size`` and ``output_size`` are its
    lengths in bytes. ``obstacle`` says why the file keeps its length although images are gone;
    null if it does not.
    """

    path: str
    kept: tuple[str, ...]
    removed: tuple[RemovedImages, ...]
    size: int
    output_size: int
    obstacle: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StripReport:
    """The files with device code of an artifact, and what was removed.

    ``size`` and ``output_size`` are in bytes; a wheel is compressed. ``signatures`` are the files
    of a wheel that signed its old content, and were removed.
    """

    path: str
    output: str
    size: int
    output_size: int
    files: tuple[StrippedFile, ...]
    signatures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitArtifact:
    """The artifact for one architecture of devices."""

    device: str
    result: StripReport


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitReport:
    """One artifact for each architecture of devices."""

    path: str
    artifacts: tuple[SplitArtifact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedFile:
    """One linked file with the device code of several.

    ``containers`` is the number of containers that have new images, and ``architectures`` are
    those of the file.
    """

    path: str
    containers: int
    architectures: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeReport:
    """One artifact with the device code of several.

    ``sizes`` and ``output_size`` are in bytes. ``signatures`` are the files of a wheel that
    signed its old content, and were removed.
    """

    paths: tuple[str, ...]
    output: str
    sizes: tuple[int, ...]
    output_size: int
    files: tuple[MergedFile, ...]
    signatures: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SizeEstimate:
    """The sizes of an artifact after a change, in bytes: as it is published, and installed."""

    change: str
    size: int
    installed_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EstimateReport:
    """The sizes of an artifact now, and after each change.

    ``installed_size`` counts the linked files with device code. Architectures are estimated
    without linked relocatable code, which `kbuild strip` removes in any case. ``impossible`` says
    which cannot be removed, and why.
    """

    path: str
    size: int
    installed_size: int
    estimates: tuple[SizeEstimate, ...]
    impossible: tuple[str, ...] = ()
