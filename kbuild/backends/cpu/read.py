"""Read the CPU's containers: LLVM offload binaries in kbuild's own section."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cpu.contents import read_table
from kbuild.backends.interface.read import (
    ImageContent,
    Listing,
    SectionRole,
    StoredImage,
    assign_problems,
)
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.file import Elf
from kbuild.formats.offload import binary as offload_binary
from kbuild.formats.offload.binary_entry import Entry
from kbuild.model import ImageKind, Problem

NAME: Final = "cpu"

_ROLES: Final[dict[str, SectionRole]] = {
    ".kbuild_fatbin": "executable",
    ".kbuild_relfatbin": "relocatable",
}


def find_role(section: str) -> SectionRole | None:
    """See `ImageReader`."""
    return _ROLES.get(section)


def find_alignment(section: str) -> int:  # noqa: ARG001 - the interface's signature
    """See `ImageReader`."""
    return offload_binary.ALIGNMENT


def divide(content: Buffer) -> tuple[tuple[int, int], ...]:
    """See `ImageReader`: one container, because only a note tells which images belong together."""
    return ((0, len(content)),)


def list_images(content: Buffer, section: str) -> Listing:  # noqa: ARG001 - the interface's signature
    """See `ImageReader`: every offload binary is an image."""
    entries, problems = offload_binary.read(content)
    return assign_problems(((entry.offset, _describe(entry)) for entry in entries), problems)


def _describe(entry: Entry) -> StoredImage:
    return StoredImage(
        backend=NAME,
        arch=entry.string("arch") or "",
        kind="elf" if entry.image_kind_name == "object" else "other",
        compression="none" if entry.packed is None else entry.packed.compression,
        stored_size=entry.image_size,
        size=entry.image_size,
        entry=entry,
    )


def load_images(
    images: tuple[StoredImage, ...], content: Buffer, limit: int
) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
    """See `ImageReader`."""
    for image in images:
        yield image, _load(image.entry, content, limit)


def _load(entry: Entry, content: Buffer, limit: int) -> Buffer | Problem:
    try:
        return offload_binary.load(entry, content, limit=limit)
    except InputError as error:
        return Problem(where=f"byte {entry.offset:#x}", message=str(error))


def read_image(
    data: Buffer,
    kind: ImageKind,  # noqa: ARG001 - the interface's signature
) -> ImageContent:
    """See `ImageReader`: the kernels in the image's table, or in the table after a device link."""
    elf = Elf(bytes(data))
    if elf.type == "relocatable":
        from kbuild.backends.cpu.objects import describe_object  # noqa: PLC0415 - reads DWARF

        return describe_object(bytes(data))
    return read_table(elf)


def is_fat_binary(content: Buffer) -> bool:
    """See `ImageReader`: offload binaries without a programming model, which LLVM always names."""
    if bytes(content[: len(offload_binary.MAGIC)]) != offload_binary.MAGIC:
        return False
    entries, _ = offload_binary.read(content)
    return all(entry.offload_kind_name == "none" for entry in entries)


def list_bare_image(content: Buffer) -> Listing | None:  # noqa: ARG001 - the interface's signature
    """See `ImageReader`: a single image is a shared object like any other."""
    return None
