"""The seam of reading: what inspect has to know of one family of containers.

A reader module implements `ImageReader`; `kbuild.backends.readers` lists them.  There are
more readers than backends: artifacts of tools that kbuild does not drive are read too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, TypeAlias

from kbuild.backends.interface.build import ImageContent
from kbuild.formats.buffer import Buffer
from kbuild.model import Compression, ImageKind, Problem

SectionRole: TypeAlias = Literal["executable", "relocatable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredImage:
    """A device image as its container lists it.

    ``backend`` is what it was made for; ``size`` is what it takes up decompressed, None where
    the container does not tell, ``compression`` None for one that is not known.  Of images
    that are compressed together, ``stored_size`` is their share.  ``ptx_version`` is the
    language version of an image that a driver compiles; ``problem`` says what is wrong with
    its place in the container, ``is_refused`` that it is too much to decompress.  ``entry``
    is its reader's own.
    """

    backend: str
    arch: str
    kind: ImageKind
    compression: Compression | None
    stored_size: int
    size: int | None
    entry: Any
    ptx_version: str | None = None
    problem: str | None = None
    is_refused: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The images of a container, and the problems that belong to none of them alone."""

    images: tuple[StoredImage, ...]
    problems: tuple[Problem, ...] = ()


def assign_problems(
    images: Iterable[tuple[int, StoredImage]], problems: tuple[Problem, ...]
) -> Listing:
    """A listing of (offset, image), a problem at an image's offset given to that image."""
    numbered = tuple(images)
    messages = {problem.offset: problem.message for problem in problems}
    offsets = {offset for offset, _ in numbered}
    return Listing(
        images=tuple(replace(image, problem=messages.get(offset)) for offset, image in numbered),
        problems=tuple(problem for problem in problems if problem.offset not in offsets),
    )


class ImageReader(Protocol):
    """Every function is pure; ``content`` is a section's bytes, or those of one container."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The word for it in JSON and on the command line."""

    def find_role(self, section: str) -> SectionRole | None:
        """What a section of this name holds for devices; None where that is nothing.

        The images of a ``relocatable`` one wait for a device link.
        """

    def find_alignment(self, section: str) -> int:
        """What the format of a container in a section of this name asks of its address."""

    def divide(self, content: Buffer) -> tuple[tuple[int, int], ...]:
        """(offset, size) of each container; what is none belongs to the one before it."""

    def list_images(self, content: Buffer, section: str) -> Listing:
        """The images, without decompressing more than it takes to list them."""

    def load_images(
        self, images: tuple[StoredImage, ...], content: Buffer, limit: int
    ) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
        """The bytes of each image, or why they cannot be had; one image at a time.

        None takes more than ``limit`` bytes decompressed.  The image that comes back with
        the bytes may know more than the listing did.
        """

    def read_image(self, data: Buffer, kind: ImageKind) -> ImageContent:
        """What an image holds; InputError when it is not sound."""

    def is_fat_binary(self, content: Buffer) -> bool:
        """Whether a file that starts so is a fat binary that no host file holds."""

    def list_bare_image(self, content: Buffer) -> Listing | None:
        """A file that is one device image; None where it is none of this reader's.

        Raises InputError for one that is damaged.
        """
