"""Read the offload binaries that LLVM's drivers embed, of any programming model."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.backends.cuda import read as cuda_reader
from kbuild.backends.hip import read as hip_reader
from kbuild.backends.hip.image import classify
from kbuild.backends.interface.read import (
    ImageContent,
    ImageReader,
    Listing,
    SectionRole,
    StoredImage,
    assign_problems,
)
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.offload import binary as offload_binary
from kbuild.formats.offload.binary_entry import Entry
from kbuild.model import ImageKind, Problem
from kbuild.values import replace

NAME: Final = "offload"

_SECTION: Final = ".llvm.offloading"
_KINDS: Final[dict[str, ImageKind]] = {
    "object": "elf",
    "cubin": "elf",
    "ptx": "ptx",
    "bitcode": "bitcode",
    "spirv": "spirv",
}
_OTHERS: Final[tuple[ImageReader, ...]] = (cuda_reader, hip_reader)


def find_role(section: str) -> SectionRole | None:
    """See `ImageReader`: the linker's wrapper extracts them and links their images."""
    return "relocatable" if section == _SECTION else None


def find_alignment(section: str) -> int:  # noqa: ARG001 - there is one
    """See `ImageReader`."""
    return offload_binary.ALIGNMENT


def divide(content: Buffer) -> tuple[tuple[int, int], ...]:
    """See `ImageReader`: one binary per translation unit, for all of its targets."""
    entries, _ = offload_binary.read(content)
    starts = sorted({entry.offset for entry in entries})
    starts = [0, *starts[1:]]
    ends = [*starts[1:], len(content)]
    return tuple((start, end - start) for start, end in zip(starts, ends, strict=True))


def list_images(content: Buffer, section: str) -> Listing:  # noqa: ARG001 - there is one
    """See `ImageReader`: every entry with an image, or with a fat binary of several images."""
    entries, problems = offload_binary.read(content)
    images = [
        (entry.offset, image)
        for entry in entries
        if not entry.is_metadata_only
        for image in _describe(content, entry)
    ]
    return assign_problems(images, problems)


def _describe(content: Buffer, entry: Entry) -> tuple[StoredImage, ...]:
    kind = _KINDS.get(entry.image_kind_name, "other")
    if kind == "other" and entry.packed is None:
        # Packagers choose the kind by the file name, and know few names.
        kind = classify(content[entry.image_offset : entry.image_offset + entry.image_size])
    whole = StoredImage(
        backend=entry.offload_kind_name,
        arch=entry.string("arch") or "",
        kind=kind,
        compression="none" if entry.packed is None else entry.packed.compression,
        stored_size=_share(entry),
        size=entry.image_size,
        entry=(entry, None),
    )
    if entry.packed is None:
        inner = content[entry.image_offset : entry.image_offset + entry.image_size]
        for reader in _OTHERS:
            if reader.is_fat_binary(inner):
                listed = reader.list_images(inner, "").images
                return tuple(replace(image, entry=(entry, (reader, image))) for image in listed)
    return (whole,)


def _share(entry: Entry) -> int:
    if entry.packed is None or not entry.packed.size:
        return entry.image_size
    return round(entry.image_size * entry.packed.stored_size / entry.packed.size)


def load_images(
    images: tuple[StoredImage, ...], content: Buffer, limit: int
) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
    """See `ImageReader`."""
    for image in images:
        entry, inner = image.entry
        try:
            data = offload_binary.load(entry, content, limit=limit)
        except InputError as error:
            yield image, Problem(where=f"byte {entry.offset:#x}", message=str(error))
            continue
        if inner is None:
            yield image, data
        else:
            reader, listed = inner
            for found, loaded in reader.load_images((listed,), data, limit):
                yield replace(found, entry=image.entry), loaded


def read_image(data: Buffer, kind: ImageKind) -> ImageContent:
    """See `ImageReader`: as the backend of the image reads it."""
    for reader in _OTHERS:
        if reader.list_bare_image(data) is not None:
            return reader.read_image(data, kind)
    return ImageContent(kernels=())


def is_fat_binary(content: Buffer) -> bool:
    """See `ImageReader`: the output of ``clang-offload-packager``."""
    return bytes(content[: len(offload_binary.MAGIC)]) == offload_binary.MAGIC


def list_bare_image(content: Buffer) -> Listing | None:  # noqa: ARG001 - others know them
    """See `ImageReader`: an offload binary is always a container."""
    return None
