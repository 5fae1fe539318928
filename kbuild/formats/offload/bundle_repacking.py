"""Write clang's offload bundles again with fewer or more entries.

Host code refers to a bundle by its address, and the table of a bundle says where its images are.
Images refer to nothing outside of themselves. A compressed bundle is compressed again as a whole,
in the form that it had.

Sources: see `kbuild.formats.offload.bundle`.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final, TypeAlias

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, align_up
from kbuild.formats.compression import compress
from kbuild.formats.offload.bundle import (
    HASH,
    MAGIC,
    Bundle,
    BundleEntry,
    load,
    read_bundles,
)
from kbuild.formats.offload.bundle_header import write_header

# What clang's `--offload-compress` uses, and what compresses better.
LEVEL: Final = 3
_LEVELS: Final = {"zlib": (6, 9), "zstd": (LEVEL, 9, 19)}
# clang aligns bundles, and the images in them, to pages.
PAGE: Final = 4096

_COUNT: Final = struct.Struct("<Q")
_ENTRY: Final = struct.Struct("<QQQ")
_Image: TypeAlias = tuple[str, Buffer]


def remove_entries(
    content: Buffer, is_kept: Callable[[Bundle, BundleEntry], bool]
) -> tuple[Buffer, ...]:
    """Return the parts of a bundle with only the entries that are kept.

    They end with a page, as far as the content has room for that.

    Raises:
        InputError: The content is not one sound bundle, or there is no room for the result.
    """
    bundle, whole = _read(content)
    kept = [(e.id, _view(whole, e)) for e in bundle.entries if is_kept(bundle, e)]
    return _write(bundle, kept, len(content))


def join_bundles(contents: Sequence[Buffer]) -> tuple[Buffer, ...]:
    """Return the parts of one bundle with the entries of several, each of them once.

    Raises:
        InputError: A content is not one sound bundle, or two have different images for one
            architecture.
    """
    found: dict[str, Buffer] = {}
    read = [_read(content) for content in contents]
    for bundle, whole in read:
        for entry in bundle.entries:
            data = _view(whole, entry)
            if found.setdefault(entry.id, data) != data:
                raise InputError(f"two different images for {entry.arch}")
    return _write(read[0][0], list(found.items()), None)


def _read(content: Buffer) -> tuple[Bundle, Buffer]:
    bundles, problems = read_bundles(content)
    if problems or len(bundles) != 1:
        text = problems[0].message if problems else f"{len(bundles)} bundles instead of one"
        raise InputError(text)
    return bundles[0], load(bundles[0], content)


def _view(whole: Buffer, entry: BundleEntry) -> Buffer:
    return memoryview(whole)[entry.offset : entry.offset + entry.size]


def _write(old: Bundle, images: Sequence[_Image], room: int | None) -> tuple[Buffer, ...]:
    """Return the parts of a bundle in the form of an old one.

    Args:
        old: The old bundle.
        images: The entries of the new one.
        room: The number of bytes that it can have.
    """
    parts = tuple(_write_plain(images))
    size = sum(map(len, parts))
    if old.version is not None and old.compression in ("zlib", "zstd"):
        data = b"".join(parts)
        digest = hashlib.md5(data, usedforsecurity=False).digest()[HASH]
        for level in _LEVELS[old.compression]:
            stored = compress(old.compression, data, level)
            header = write_header(old.version, old.compression, len(stored), len(data), digest)
            parts, size = (header, stored), len(header) + len(stored)
            if room is None or size <= room:
                break
    if room is not None and size > room:
        raise InputError(f"the bundle needs {size} bytes, but has only {room}")
    end = align_up(size, PAGE)
    return (*parts, bytes((end if room is None else min(end, room)) - size))


def _write_plain(images: Sequence[_Image]) -> Iterator[Buffer]:
    ids = [text.encode() for text, _ in images]
    end = len(MAGIC) + _COUNT.size + sum(_ENTRY.size + len(name) for name in ids)
    table = bytearray(MAGIC + _COUNT.pack(len(images)))
    position = align_up(end, PAGE)
    for name, (_, data) in zip(ids, images, strict=True):
        table += _ENTRY.pack(position, len(data), len(name)) + name
        position = align_up(position + len(data), PAGE)
    yield bytes(table)
    for _, data in images:
        if data:
            yield bytes(align_up(end, PAGE) - end)
            yield data
            end = align_up(end, PAGE) + len(data)
