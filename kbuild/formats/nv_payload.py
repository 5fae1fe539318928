"""The images of NVIDIA's fat binaries, decompressed: LZ4 blocks and zstd frames.

What a file declares is never trusted with memory: sizes are bounded by what the
compressed bytes can yield at most and by a limit of the caller's.  Sources: LZ4 block
format 1.6, RFC 8878 (Zstandard), sections 3.1.1.1.4 and 3.1.1.2.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from kbuild.errors import InputError
from kbuild.formats.nv_entry import Buffer, Entry, Payload
from kbuild.model import Compression, Problem

DEFAULT_LIMIT: Final = 1 << 30

# LZ4: a length byte stands for 255 at most.  zstd: a block of 4 bytes (a header of three
# and the byte to repeat) yields 128 KiB at most.
_MOST_LZ4: Final = 255
_MOST_ZSTD: Final = (128 << 10) // 4
_UNKNOWN_SIZE: Final = (1 << 64) - 1


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
    read = _READERS.get(payload.compression) if payload.compression else None
    if read is None:
        raise InputError("the image is compressed in a way that is not known")
    if payload.size > limit:
        raise InputError(f"the image says {payload.size} bytes decompressed, the limit is {limit}")
    data = read(stored, payload.size)
    if len(data) != payload.size:
        raise InputError(f"the image says {payload.size} bytes decompressed, it has {len(data)}")
    return data


def _cut(entry: Entry, whole: Buffer) -> Buffer:
    # Nothing is copied where the image is all of its payload.
    image = whole if entry.size == len(whole) else whole[entry.start : entry.start + entry.size]
    return bytes(image).rstrip(b"\0") if entry.kind == "ptx" else image


def _read_lz4(stored: memoryview, size: int) -> bytes:
    block = _import("lz4.block", "lz4")
    _check_ratio(stored, size, _MOST_LZ4)
    try:
        data: bytes = block.decompress(stored, uncompressed_size=size)
    except (block.LZ4BlockError, ValueError, MemoryError) as error:
        raise InputError(f"the image is no sound LZ4 block: {error}") from error
    return data


def _read_zstd(stored: memoryview, size: int) -> bytes:
    zstandard = _import("zstandard", "zstandard")
    _check_ratio(stored, size, _MOST_ZSTD)
    try:
        # Memory is allocated for what the frame says, not for the size that it is given.
        framed = zstandard.get_frame_parameters(stored).content_size
        if framed not in (size, _UNKNOWN_SIZE):
            raise InputError(f"the image says {size} bytes decompressed, its zstd frame {framed}")
        data: bytes = zstandard.ZstdDecompressor().decompress(stored, max_output_size=size)
    except (zstandard.ZstdError, ValueError, MemoryError) as error:
        raise InputError(f"the image is no sound zstd frame: {error}") from error
    return data


def _check_ratio(stored: memoryview, size: int, most: int) -> None:
    if size > len(stored) * most:
        raise InputError(
            f"the image says {size} bytes decompressed, more than its {len(stored)} can hold"
        )


def _import(module: str, package: str) -> Any:
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"the image is compressed with {package}; install the Python package '{package}' "
            "to read it"
        ) from error


_READERS: Final[dict[Compression, Callable[[memoryview, int], bytes]]] = {
    "lz4": _read_lz4,
    "zstd": _read_zstd,
}
