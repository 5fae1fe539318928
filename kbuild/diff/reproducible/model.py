"""What differs between two builds: files, their sections and images, the kernels in these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from kbuild.model import ImageKind

Status = Literal["changed", "only-first", "only-second"]
Cause = Literal["path", "debug-information", "digest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartDifference:
    """A section, or another part of a file, whose bytes differ.

    Sizes are in bytes, None on a side that lacks the part; ``offset`` is that of the first byte
    that differs, inside the part; ``first`` and ``second`` are what stands there, as text where
    it is some, else in hexadecimal digits.  ``cause`` is None where nothing suggests one.
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
    """A device image that differs: number ``position`` among those of its file.

    ``kernels`` and ``functions`` are those with other code, or on one side alone, as C++ writes
    them; ``data`` the variables with another content.
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
    """A file, or a member of an archive or wheel (``outer!inner``), that is not the same.

    ``problem`` says why its parts could not be told apart, where they could not.
    """

    file: str
    status: Status
    sections: tuple[PartDifference, ...] = ()
    images: tuple[ImageDifference, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReproducibilityReport:
    """Two builds, the number of files that at least one of them has, and those that differ."""

    first: str
    second: str
    compared: int
    files: tuple[FileDifference, ...]

    @property
    def is_equal(self) -> bool:
        """Whether every file is there twice, with the same bytes."""
        return not self.files
