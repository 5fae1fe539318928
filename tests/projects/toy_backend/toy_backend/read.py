"""See `kbuild.backends.interface.read.ImageReader`.

A container is ``TOYC``, the number of images, and each image with its size. An image is ``TOY1``,
the number of kernels, and each kernel as its symbol (64 bytes) and its factor.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final

from kbuild.backends.interface.read import ImageContent, Listing, SectionRole, StoredImage
from kbuild.demangle.names import demangle
from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.model import ImageKind, Kernel, Param, Problem

NAME: Final = "toy"
_ROW: Final = struct.Struct("<64sf")


def find_role(section: str) -> SectionRole | None:
    return "executable" if section == ".toy_fatbin" else None


def find_alignment(section: str) -> int:
    return 8


def divide(content: Buffer) -> tuple[tuple[int, int], ...]:
    return ((0, len(content)),)


def list_images(content: Buffer, section: str) -> Listing:
    magic, count = struct.unpack_from("<4sI", content)
    if magic != b"TOYC":
        return Listing(images=(), problems=(Problem(where="container 0", message="bad magic"),))
    images, offset = [], 8
    for _ in range(count):
        (size,) = struct.unpack_from("<Q", content, offset)
        images.append(
            StoredImage(
                backend=NAME,
                arch="toy1",
                kind="other",
                compression="none",
                stored_size=size,
                size=size,
                entry=offset + 8,
            )
        )
        offset += 8 + size
    return Listing(images=tuple(images))


def load_images(
    images: tuple[StoredImage, ...], content: Buffer, limit: int
) -> Iterator[tuple[StoredImage, Buffer | Problem]]:
    for image in images:
        yield image, content[image.entry : image.entry + image.stored_size]


def read_image(data: Buffer, kind: ImageKind) -> ImageContent:
    magic, count = struct.unpack_from("<4sI", data)
    if magic != b"TOY1" or len(data) != 8 + count * _ROW.size:
        raise InputError("not a toy image")
    rows = (_ROW.unpack_from(data, 8 + index * _ROW.size) for index in range(count))
    return ImageContent(kernels=tuple(_describe(name.rstrip(b"\0").decode()) for name, _ in rows))


def _describe(name: str) -> Kernel:
    params = (
        Param(index=0, offset=0, size=8, type="float*"),
        Param(index=1, offset=8, size=4, type="int"),
    )
    return Kernel(name=name, display=demangle(name), params=params)


def is_fat_binary(content: Buffer) -> bool:
    return bytes(content[:4]) == b"TOYC"


def list_bare_image(content: Buffer) -> Listing | None:
    return None
