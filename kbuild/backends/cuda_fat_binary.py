"""NVIDIA's containers and files: every image, whoever made it."""

from __future__ import annotations

from typing import Final

from kbuild.backends.protocol import DeviceFile, StoredImage
from kbuild.formats.cubin import read_cubin
from kbuild.formats.device_elf import EM_CUDA, is_elf_for
from kbuild.formats.nv_entry import Entry
from kbuild.formats.nv_fatbin import MAGIC, read_containers
from kbuild.formats.nv_payload import read_images
from kbuild.formats.ptx import looks_like_ptx, read_ptx
from kbuild.model import ImageKind, Problem

_KINDS: Final[dict[str, ImageKind]] = {"elf": "elf", "ptx": "ptx", "ltoir": "bitcode"}


def read_fat_binary(content: bytes) -> tuple[tuple[StoredImage, ...], tuple[Problem, ...]]:
    """Every entry of every container; one that cannot be decompressed is a problem."""
    containers, found = read_containers(content)
    problems = list(found)
    images = []
    entries = [entry for container in containers for entry in container.entries]
    for entry, data in read_images(entries, content):
        if isinstance(data, Problem):
            problems.append(data)
            continue
        images.append(
            StoredImage(
                offset=entry.offset,
                span=entry.span,
                arch=entry.arch,
                kind=_KINDS.get(entry.kind, "other"),
                compression=entry.payload.compression or "none",
                stored_size=entry.payload.stored_size,
                data=bytes(data),
                ptx_version=_ptx_version(entry),
            )
        )
    return tuple(images), tuple(problems)


def _ptx_version(entry: Entry) -> str | None:
    return ".".join(map(str, entry.code_version)) if entry.kind == "ptx" else None


def divide_fat_binary(content: bytes) -> tuple[tuple[int, int], ...]:
    """(offset, size) of each container; what is none belongs to the one in front of it."""
    containers, _ = read_containers(content)
    starts = [0, *(container.offset for container in containers[1:])]
    ends = [*starts[1:], len(content)]
    return tuple((start, end - start) for start, end in zip(starts, ends, strict=True))


def read_device_file(content: bytes) -> DeviceFile | None:
    """A cubin, PTX text, or containers; None for anything else."""
    if content.startswith(MAGIC):
        images, problems = read_fat_binary(content)
        return DeviceFile(kind="fat-binary", images=images, problems=problems)
    if is_elf_for(content, EM_CUDA):
        cubin = read_cubin(content)
        return DeviceFile(kind="image", images=(_wrap(content, cubin.arch, "elf"),))
    if looks_like_ptx(content):
        ptx = read_ptx(content)
        return DeviceFile(
            kind="image", images=(_wrap(content, ptx.arch, "ptx", ptx_version=ptx.version),)
        )
    return None


def _wrap(
    content: bytes, arch: str, kind: ImageKind, *, ptx_version: str | None = None
) -> StoredImage:
    return StoredImage(
        offset=0,
        span=len(content),
        arch=arch,
        kind=kind,
        compression="none",
        stored_size=len(content),
        data=content,
        ptx_version=ptx_version,
    )
