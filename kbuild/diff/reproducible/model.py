"""The differences between two builds: files, their sections, images, and kernels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kbuild.model import ImageKind

Status = Literal["changed", "only-first", "only-second"]
Cause = Literal["path", "debug-information", "digest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDifference:
    """A section or other part of a file whose bytes differ.

    Sizes are in bytes, and None if the side does not have the part. ``offset`` is the position of
    the first different byte in the part. ``first`` and ``second`` show the content there, as text
    if it is printable, else as hexadecimal digits. ``cause`` is None if it is unknown.
    """

    name: str
    first_size: int | None
    second_size: int | None
    offset: int
    first: str
    second: str
    cause: Cause | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageDifference:
    """A device image that differs. ``position`` is its position in the file, from 0.

    ``kernels`` and ``functions`` are the demangled names of those whose code differs or that only
    one side has. ``data`` has the names of the variables whose content differs.
    """

    position: int
    backend: str
    arch: str
    kind: ImageKind
    sections: tuple[PartDifference, ...] = ()
    kernels: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    data: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileDifference:
    """A file, or a member of an archive or wheel (``outer!inner``), that differs.

    ``problem`` says why its parts could not be compared.
    """

    file: str
    status: Status
    sections: tuple[PartDifference, ...] = ()
    images: tuple[ImageDifference, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducibilityReport:
    """The files that differ between two builds. ``compared`` counts the files of both."""

    first: str
    second: str
    compared: int
    files: tuple[FileDifference, ...]

    @property
    def is_equal(self) -> bool:
        """Whether both builds have the same files with the same bytes."""
        return not self.files
