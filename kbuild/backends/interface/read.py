"""The ``read`` capability: read containers and device images, also those of other tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal, Protocol, TypeAlias

from kbuild.formats.buffer import Buffer
from kbuild.model import Compression, ImageKind, Kernel, Problem, Variable
from kbuild.values import dataclass, replace

SectionRole: TypeAlias = Literal["executable", "relocatable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageContent:
    """The content of a device image.

    Attributes:
        kernels: The kernels.
        variables: The variables that other files can refer to by name.
        nameless: Kernels that tables or section names mention and that have code, but no symbol.
        source_paths: Where the sources were on the machine that compiled the image.
        problems: The malformed parts of the image.
        object_version: The version of the format of code objects, for a vendor that numbers it.
    """

    kernels: tuple[Kernel, ...]
    variables: tuple[Variable, ...] = ()
    nameless: tuple[str, ...] = ()
    source_paths: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    object_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredImage:
    """A device image as its container lists it.

    Attributes:
        backend: The backend that the image is for.
        arch: The architecture.
        kind: The kind of image.
        compression: How it is compressed; None if the method is unknown.
        stored_size: Its size in the container, in bytes. Images that are compressed together
            have a share each.
        size: Its decompressed size in bytes; None if the container does not say.
        entry: The reader's own description of the image.
        ptx_version: The language version of an image that a driver compiles.
        problem: The problem with its place in the container.
        is_refused: Whether it is too large to decompress.
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
    """The images of a container, and the problems that do not belong to one image."""

    images: tuple[StoredImage, ...]
    problems: tuple[Problem, ...] = ()


def assign_problems(
    images: Iterable[tuple[int, StoredImage]], problems: tuple[Problem, ...]
) -> Listing:
    """List images, each with the problem at its offset.

    Args:
        images: (offset, image) pairs.
        problems: The problems of the whole container.
    """
    numbered = tuple(images)
    messages = {problem.offset: problem.message for problem in problems}
    offsets = {offset for offset, _ in numbered}
    return Listing(
        images=tuple(replace(image, problem=messages.get(offset)) for offset, image in numbered),
        problems=tuple(problem for problem in problems if problem.offset not in offsets),
    )


class ImageReader(Protocol):
    """The functions of a backend's ``read`` module, which are pure.

    ``content`` is the content of a section, or of one container in it.
    """

    @property
    def NAME(self) -> str:  # noqa: N802 - a module constant
        """The name of the backend."""

    def find_role(self, section: str) -> SectionRole | None:
        """Return the role of a section with this name; None if it contains no images.

        The images of a ``relocatable`` section are the input of a device link.
        """

    def find_alignment(self, section: str) -> int:
        """Return the alignment of containers in a section of this name, in bytes."""

    def divide(self, content: Buffer) -> tuple[tuple[int, int], ...]:
        """Return (offset, size) of each container.

        Bytes that do not start a container belong to the container before them.
        """

    def list_images(self, content: Buffer, section: str) -> Listing:
        """List the images; decompress only the parts that the list itself needs."""

    def load_images(
        self, images: tuple[StoredImage, ...], content: Buffer, limit: int
    ) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
        """Yield the bytes of each image, or the problem that prevents reading them.

        The yielded image can be more precise than the listed one.

        Args:
            images: Images that `list_images` returned.
            content: The content from which they were listed.
            limit: The largest decompressed size to accept, in bytes.
        """

    def read_image(self, data: Buffer, kind: ImageKind) -> ImageContent:
        """Read a decompressed image; raise InputError if it is malformed."""

    def is_fat_binary(self, content: Buffer) -> bool:
        """Return whether a file that starts like this is a fat binary outside of any host file."""

    def list_bare_image(self, content: Buffer) -> Listing | None:
        """List a file that is one device image; None if it is not an image of this backend.

        Raises InputError if the image is malformed.
        """
