"""The CPU's containers: LLVM offload binaries in a section of kbuild's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu_image import read_image as _read_image
from kbuild.backends.protocol import ImageContent
from kbuild.backends.reader import Listing, SectionRole, StoredImage
from kbuild.formats import offload_binary
from kbuild.formats.buffer import Buffer
from kbuild.model import ImageKind, Problem

NAME: Final = "cpu"
ALIGNMENT: Final = offload_binary.ALIGNMENT
WRAPPER_SECTION: Final = None

_SECTION: Final = ".kbuild_fatbin"


def find_role(section: str) -> SectionRole | None:
    """See the protocol."""
    return "executable" if section == _SECTION else None


def divide(content: Buffer) -> tuple[tuple[int, int], ...]:
    """One: nothing but a note tells which images belong together."""
    return ((0, len(content)),)


def list_images(content: Buffer, section: str) -> Listing:  # noqa: ARG001 - there is one
    """Every offload binary as an image."""
    entries, problems = offload_binary.read(bytes(content))
    images = tuple(
        StoredImage(
            offset=entry.offset,
            backend=NAME,
            arch=entry.string("arch") or "",
            kind="elf" if entry.image_kind == offload_binary.IMAGE_KIND_OBJECT else "other",
            compression="none",
            stored_size=entry.image_size,
            size=entry.image_size,
            entry=entry,
        )
        for entry in entries
    )
    return Listing(images=images, problems=problems)


def load_images(
    images: tuple[StoredImage, ...],
    content: Buffer,
    limit: int,  # noqa: ARG001 - nothing is compressed
) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
    """See the protocol."""
    for image in images:
        entry: offload_binary.Entry = image.entry
        yield image, content[entry.image_offset : entry.image_offset + entry.image_size]


def read_image(data: Buffer, kind: ImageKind) -> ImageContent:  # noqa: ARG001 - ELF or unsound
    """The kernels and variables that an image's table lists."""
    return _read_image(bytes(data))


def read_wrappers(content: Buffer) -> tuple[tuple[int, ...], tuple[Problem, ...]]:  # noqa: ARG001
    """None: kbuild's descriptor points to the containers."""
    return (), ()


def is_fat_binary(content: Buffer) -> bool:
    """LLVM offload binaries."""
    return bytes(content[: len(offload_binary.MAGIC)]) == offload_binary.MAGIC


def list_bare_image(content: Buffer) -> Listing | None:  # noqa: ARG001 - see is_fat_binary
    """None: an image by itself is a shared object like any other."""
    return None
