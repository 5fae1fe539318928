"""NVIDIA's containers: every image of a fat binary section, whoever made it."""

from __future__ import annotations

from typing import Final

from kbuild.backends.protocol import StoredImage
from kbuild.formats.nv_fatbin import read_containers
from kbuild.formats.nv_payload import read_images
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
            )
        )
    return tuple(images), tuple(problems)
