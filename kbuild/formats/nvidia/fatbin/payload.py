"""The images of NVIDIA's fat binaries, decompressed one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kbuild.errors import InputError
from kbuild.formats import compression
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT
from kbuild.formats.nvidia.fatbin.entry import Entry, Payload
from kbuild.model import Problem


def read_image(entry: Entry, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """Return the image of ``entry``, without a copy if it is not compressed.

    The NULs at the end of PTX text are removed.

    Raises:
        InputError: The image cannot be decompressed, or is larger than ``limit`` bytes.
    """
    return _cut(entry, decompress(entry, content, limit=limit))


def read_images(
    entries: Iterable[Entry], content: Buffer, *, limit: int = DEFAULT_LIMIT
) -> Iterator[tuple[Entry, Buffer | Problem]]:
    """Yield each entry with its image, or with the problem that prevents reading it.

    Only one decompressed payload is in memory at a time. No payload is decompressed twice,
    because the entries that share one follow each other.
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
    """Return the whole decompressed payload of ``entry``, including the other members."""
    payload = entry.payload
    stored = memoryview(content)[payload.offset : payload.offset + payload.stored_size]
    if payload.compression == "none":
        return stored
    if entry.kind == "ltoir":
        raise InputError("cannot read LTO-IR, because the toolkit scrambles it")
    if payload.compression is None:
        raise InputError("the compression method of the image is unknown")
    return compression.decompress(payload.compression, stored, payload.size, limit=limit)


def _cut(entry: Entry, whole: Buffer) -> Buffer:
    # Avoids a copy if the image fills its payload.
    image = whole if entry.size == len(whole) else whole[entry.start : entry.start + entry.size]
    return bytes(image).rstrip(b"\0") if entry.kind == "ptx" else image
