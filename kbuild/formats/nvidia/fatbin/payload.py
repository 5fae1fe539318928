"""The images of NVIDIA's fat binaries, decompressed one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.errors import InputError
from kbuild.formats import compression
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT
from kbuild.formats.nvidia.fatbin.entry import Entry, Payload
from kbuild.model import Problem


def read_image(entry: Entry, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """The image of ``entry``: a view of ``content`` where it is stored as it is.

    The NULs that end and pad PTX text are dropped.  Raises InputError where it cannot be
    decompressed, or is larger than ``limit`` bytes.
    """
    return _cut(entry, decompress(entry, content, limit=limit))


def read_images(
    entries: Iterable[Entry], content: Buffer, *, limit: int = DEFAULT_LIMIT
) -> Iterator[tuple[Entry, Buffer | Problem]]:
    """The image of each entry, or why it cannot be had, decompressing no payload twice.

    Holds one payload at a time: entries that share one follow each other.
    """
    last: Payload | None = None
    whole: Buffer | InputError = b""
    for entry in entries:
        if entry.payload != last:
            try:
                whole = decompress(entry, content, limit=limit)
            except InputError as error:
                whole = error
            last = entry.payload
        if isinstance(whole, InputError):
            where = f"byte {entry.offset:#x}"
            yield entry, Problem(where=where, message=str(whole), offset=entry.offset)
        else:
            yield entry, _cut(entry, whole)


def decompress(entry: Entry, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """All that the payload of ``entry`` holds, with the other members of its entry."""
    payload = entry.payload
    stored = memoryview(content)[payload.offset : payload.offset + payload.stored_size]
    if payload.compression == "none":
        return stored
    if entry.kind == "ltoir":
        raise InputError("LTO-IR is scrambled by the toolkit; it cannot be read")
    if payload.compression is None:
        raise InputError("the image is compressed in a way that is not known")
    return compression.decompress(payload.compression, stored, payload.size, limit=limit)


def _cut(entry: Entry, whole: Buffer) -> Buffer:
    # Nothing is copied where the image is all of its payload.
    image = whole if entry.size == len(whole) else whole[entry.start : entry.start + entry.size]
    return bytes(image).rstrip(b"\0") if entry.kind == "ptx" else image
