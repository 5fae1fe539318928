"""The seam of reading: what inspect has to know of one family of containers.

A reader module implements `ImageReader`; `kbuild.backends.readers` lists them.  There are
more readers than backends: artifacts of tools that kbuild does not drive are read too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from kbuild.backends.protocol import ImageContent
from kbuild.formats.buffer import Buffer
from kbuild.model import Compression, ImageKind, Problem

SectionRole: TypeAlias = Literal["executable", "relocatable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredImage:
    """A device image as its container lists it, ``offset`` bytes from the content's start.

    ``backend`` names who reads it; ``size`` is what it takes up decompressed, None where the
    container does not tell, ``compression`` None for one that is not known; ``ptx_version``
    the language version of an image that a driver compiles.  ``entry`` is its reader's own.
    """

    offset: int
    backend: str
    arch: str
    kind: ImageKind
    compression: Compression | None
    stored_size: int
    size: int | None
    entry: Any
    ptx_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """The images of a container, and what of it could not be read."""

    images: tuple[StoredImage, ...]
    problems: tuple[Problem, ...] = ()


class ImageReader(Protocol):
    """Every function is pure; ``content`` is a section's bytes, or those of one container."""

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The word for it in JSON and on the command line."""

    @property
    def ALIGNMENT(self) -> int:  # noqa: N802
        """What the format of a container asks of its address."""

    @property
    def WRAPPER_SECTION(self) -> str | None:  # noqa: N802
        """The ELF section of the records through which host code registers containers."""

    def find_role(self, section: str) -> SectionRole | None:
        """What a section of this name holds for devices; None where that is nothing.

        The images of a ``relocatable`` one wait for a device link.
        """

    def divide(self, content: Buffer) -> tuple[tuple[int, int], ...]:
        """(offset, size) of each container; what is none belongs to the one before it."""

    def list_images(self, content: Buffer, section: str) -> Listing:
        """The images, without decompressing more than it takes to list them."""

    def load_images(
        self, images: tuple[StoredImage, ...], content: Buffer, limit: int
    ) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
        """The bytes of each image, or why they cannot be had; one image at a time.

        None takes more than ``limit`` bytes decompressed.
        """

    def read_image(self, data: Buffer, kind: ImageKind) -> ImageContent:
        """What an image holds; InputError when it is not sound."""

    def read_wrappers(self, content: Buffer) -> tuple[tuple[int, ...], tuple[Problem, ...]]:
        """Where in the wrapper section the slots are that point to containers."""

    def is_fat_binary(self, content: Buffer) -> bool:
        """Whether a file that starts so is a fat binary that no host file holds."""

    def list_bare_image(self, content: Buffer) -> Listing | None:
        """A file that is one device image; None where it is none of this reader's.

        Raises InputError for one that is damaged.
        """
