"""Read NVIDIA's containers and files, whichever tool created them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from kbuild.backends.cuda.image import read_image as _read_image
from kbuild.backends.interface.read import (
    ImageContent,
    Listing,
    SectionRole,
    StoredImage,
    assign_problems,
)
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.constants import EM_CUDA
from kbuild.formats.elf.headers import is_elf_for
from kbuild.formats.nvidia.cubin.reader import read_cubin
from kbuild.model import ImageKind, Problem

if TYPE_CHECKING:
    from kbuild.formats.nvidia.fatbin.entry import Entry

NAME: Final = "cuda"

_ROLES: Final[dict[str, SectionRole]] = {
    ".nv_fatbin": "executable",
    "__nv_relfatbin": "relocatable",
    # Windows binaries keep the first eight characters of a section's name.
    ".nv_fatb": "executable",
    "__nv_rel": "relocatable",
}
_READABLE: Final[tuple[ImageKind, ...]] = ("elf", "ptx")
_KINDS: Final[dict[str, ImageKind]] = {"elf": "elf", "ptx": "ptx", "ltoir": "bitcode"}


def find_role(section: str) -> SectionRole | None:
    """See `ImageReader`."""
    return _ROLES.get(section)


def find_alignment(section: str) -> int:  # noqa: ARG001 - the interface's signature
    """See `ImageReader`."""
    from kbuild.formats.nvidia.fatbin.containers import ALIGNMENT  # noqa: PLC0415 - build edges read no container

    return ALIGNMENT


def divide(content: Buffer) -> tuple[tuple[int, int], ...]:
    """See `ImageReader`: one container per translation unit."""
    from kbuild.formats.nvidia.fatbin.containers import read_containers  # noqa: PLC0415 - build edges read no container

    containers, _ = read_containers(content)
    starts = [0, *(container.offset for container in containers[1:])]
    ends = [*starts[1:], len(content)]
    return tuple((start, end - start) for start, end in zip(starts, ends, strict=True))


def list_images(content: Buffer, section: str) -> Listing:  # noqa: ARG001 - the interface's signature
    """See `ImageReader`: every entry of every container."""
    from kbuild.formats.nvidia.fatbin.containers import read_containers  # noqa: PLC0415 - build edges read no container

    containers, problems = read_containers(content)
    entries = (entry for container in containers for entry in container.entries)
    return assign_problems(((entry.offset, describe_entry(entry)) for entry in entries), problems)


def describe_entry(entry: Entry) -> StoredImage:
    """Return an entry of a container as the interface describes images."""
    is_ptx = entry.kind == "ptx"
    payload = entry.payload
    # The members of a concatenated entry are compressed together.
    share = entry.size / payload.size if entry.size < payload.size else 1
    return StoredImage(
        backend=NAME,
        arch=entry.arch,
        kind=_KINDS.get(entry.kind, "other"),
        compression=payload.compression,
        stored_size=round(payload.stored_size * share),
        size=entry.size,
        entry=entry,
        ptx_version=".".join(map(str, entry.code_version)) if is_ptx else None,
    )


def load_images(
    images: tuple[StoredImage, ...], content: Buffer, limit: int
) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
    """See `ImageReader`. LTO-IR, which is scrambled, is yielded as it is stored."""
    from kbuild.formats.nvidia.fatbin.payload import read_images  # noqa: PLC0415 - build edges read no container

    readable = tuple(image for image in images if image.kind in _READABLE and image.entry)
    entries = (image.entry for image in readable)
    loaded = read_images(entries, content, limit=limit)
    for image in images:
        if image.entry is None:
            yield image, content
        elif image.kind in _READABLE:
            yield image, next(loaded)[1]
        else:
            payload = image.entry.payload
            yield image, content[payload.offset : payload.offset + payload.stored_size]


def read_image(data: Buffer, kind: ImageKind) -> ImageContent:
    """See `ImageReader`: a cubin or PTX. Other kinds cannot be read."""
    return _read_image(data) if kind in ("elf", "ptx") else ImageContent(kernels=())


def is_fat_binary(content: Buffer) -> bool:
    """See `ImageReader`: the output of ``fatbinary``."""
    from kbuild.formats.nvidia.fatbin.containers import MAGIC  # noqa: PLC0415 - build edges read no container

    return bytes(content[: len(MAGIC)]) == MAGIC


def list_bare_image(content: Buffer) -> Listing | None:
    """See `ImageReader`: a cubin or PTX text."""
    if is_elf_for(content, EM_CUDA):
        return _wrap(content, read_cubin(content).arch, "elf")
    from kbuild.formats.nvidia.ptx.reader import looks_like_ptx, read_ptx  # noqa: PLC0415 - most edges leave a cubin alone

    if looks_like_ptx(content):
        ptx = read_ptx(content)
        return _wrap(content, ptx.arch, "ptx", ptx_version=ptx.version)
    return None


def _wrap(
    content: Buffer, arch: str, kind: ImageKind, *, ptx_version: str | None = None
) -> Listing:
    image = StoredImage(
        backend=NAME,
        arch=arch,
        kind=kind,
        compression="none",
        stored_size=len(content),
        size=len(content),
        entry=None,
        ptx_version=ptx_version,
    )
    return Listing(images=(image,))
