"""Clang's offload bundles: the containers of ``.hip_fatbin``, plain and compressed.

A bundle consists of a table of entries and the images, one per target. A compressed bundle
(``CCOB``) consists of a header and a plain bundle that is compressed as a whole.
`read_bundles` lists entries without decompressing images; `load` returns a whole bundle.

Sources: "Clang Offload Bundler" in clang's documentation, for entries and their ids;
``CompressedOffloadBundle`` in ``clang/Driver/OffloadBundler.h``. All numbers are
little-endian.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT, decompress
from kbuild.formats.container_scan import problem_at, scan_containers
from kbuild.formats.offload.bundle_header import (
    COMPRESSED_MAGIC,
    BundleHeader,
    find_size,
    read_header,
)
from kbuild.formats.partial_decompression import Budget, iterate_fronts, make_budget
from kbuild.model import Compression, Problem
from kbuild.values import dataclass

MAGIC: Final = b"__CLANG_OFFLOAD_BUNDLE__"
# The alignment of the numbers in the header. clang aligns bundles to pages, but its linker
# wrapper does not, and the runtime reads the numbers in place.
ALIGNMENT: Final = 8

_COUNT: Final = struct.Struct("<Q")
_TABLE: Final = len(MAGIC) + _COUNT.size
# offset, size, size of the id
_ENTRY: Final = struct.Struct("<QQQ")
_LONGEST_ID: Final = 4096
HASH: Final = slice(0, 8)
_UNKNOWN_COMPRESSION: Final = "the compression method of the bundle is unknown"

_NEXT: Final = re.compile(re.escape(MAGIC) + rb"|" + COMPRESSED_MAGIC + rb"[\1-\3]\0[\0\1]\0")
# The last part of an id if its triple has neither an environment nor a dash in its place.
_PROCESSOR: Final = re.compile(r"gfx|sm_")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleEntry:
    """One image. ``offset`` counts from the start of the decompressed bundle.

    ``id`` is the name of the entry, which contains ``offload_kind``, ``triple``, and ``arch``.
    ``arch`` is a target id with its features (``gfx90a:xnack+``); it is empty for the host.
    """

    id: str
    offload_kind: str
    triple: str
    arch: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One bundle, which occupies ``size`` bytes from ``offset`` of the content.

    A plain bundle does not declare its size; it ends with its last image. ``compression`` is
    None if the compression method is unknown. ``version`` and ``hash`` are None for a plain
    bundle.
    """

    offset: int
    size: int
    compression: Compression | None
    uncompressed_size: int
    version: int | None
    hash: int | None
    header_size: int
    entries: tuple[BundleEntry, ...]


def parse_id(text: str) -> tuple[str, str, str]:
    """Split the id of an entry, or the name of a section that is named after an entry.

    Returns:
        The offload kind, the triple, and the target id.
    """
    kind, _, rest = text.removeprefix(MAGIC.decode()).partition("-")
    *machine, tail = rest.split("-", 3)
    if _PROCESSOR.match(tail):
        environment, arch = "", tail
    else:
        environment, _, arch = tail.partition("-")
    if kind == "host":
        # For an id that ends with a dash, the bundler of LLVM 19 repeats the whole id here.
        arch = ""
    return kind, "-".join((*machine, environment)).rstrip("-"), arch


def read_bundles(content: Buffer) -> tuple[tuple[Bundle, ...], tuple[Problem, ...]]:
    """Return every bundle in ``content``, in order, and the damage found. Never raises.

    The offset of a problem is that of the bundle that it concerns.
    """
    view = memoryview(content)
    budget = make_budget(len(content))

    def read_bundle(position: int, problems: list[Problem]) -> tuple[Bundle, int]:
        trouble: list[str] = []
        try:
            bundle = _read_bundle(view, position, trouble, budget)
        finally:
            problems += (problem_at(position, text) for text in trouble)
        return bundle, position + bundle.size

    return scan_containers(content, _NEXT, read_bundle)


def load(bundle: Bundle, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """Return the whole decompressed bundle, without a copy if it is not compressed.

    Raises:
        InputError: The bundle cannot be decompressed, is larger than ``limit`` bytes, or does
            not match its hash.
    """
    view = memoryview(content)[bundle.offset : bundle.offset + bundle.size]
    if bundle.compression is None:
        raise InputError(_UNKNOWN_COMPRESSION)
    stored = view[bundle.header_size :]
    data = decompress(bundle.compression, stored, bundle.uncompressed_size, limit=limit)
    if bundle.hash is not None:
        digest = hashlib.md5(data, usedforsecurity=False).digest()
        if int.from_bytes(digest[HASH], "little") != bundle.hash:
            raise InputError("the decompressed bundle does not match its hash")
    return data


def _read_bundle(view: memoryview, start: int, trouble: list[str], budget: Budget) -> Bundle:
    front = bytes(view[start : start + len(MAGIC)])
    if front == MAGIC:
        return _read_plain(view, start, trouble)
    if front.startswith(COMPRESSED_MAGIC):
        return _read_compressed(view, start, trouble, budget)
    raise InputError("expected an offload bundle, but found a different magic number")


def _read_plain(view: memoryview, start: int, trouble: list[str]) -> Bundle:
    available = len(view) - start
    table = _Table(view[start:])
    entries = tuple(table.entries(available, trouble))
    if table.error:
        trouble.append(table.error)
    ends = (entry.offset + entry.size for entry in entries if entry.size)
    size = max(table.end, *ends, 0)
    return Bundle(
        offset=start,
        size=size,
        compression="none",
        uncompressed_size=size,
        version=None,
        hash=None,
        header_size=0,
        entries=entries,
    )


def _read_compressed(view: memoryview, start: int, trouble: list[str], budget: Budget) -> Bundle:
    header = read_header(view, start)
    available = len(view) - start
    size = available
    try:
        size = find_size(header, view, start, budget)
    except InputError as error:
        trouble.append(str(error))
    if size > available:
        trouble.append(f"the compressed bundle declares {size} bytes, but only {available} follow")
        size = available
    entries: tuple[BundleEntry, ...] = ()
    try:
        stored = view[start + header.size : start + size]
        entries = _read_entries(header, stored, trouble, budget)
    except InputError as error:
        trouble.append(str(error))
    return Bundle(
        offset=start,
        size=size,
        compression=header.compression,
        uncompressed_size=header.uncompressed_size,
        version=header.version,
        hash=header.hash,
        header_size=header.size,
        entries=entries,
    )


def _read_entries(
    header: BundleHeader, stored: memoryview, trouble: list[str], budget: Budget
) -> tuple[BundleEntry, ...]:
    """Return the entries of a compressed bundle, of which only the front is decompressed."""
    if header.compression is None:
        raise InputError(_UNKNOWN_COMPRESSION)
    entries: tuple[BundleEntry, ...] = ()
    found: list[str] = []
    for front, _ in iterate_fronts(header.compression, stored, budget):
        if front[: len(MAGIC)] != MAGIC:
            raise InputError("the compressed data is not an offload bundle")
        found = []
        table = _Table(memoryview(front))
        entries = tuple(table.entries(header.uncompressed_size, found))
        if not table.error:
            break
        found.append(table.error)
    trouble += found
    return entries


class _Table:
    """The table at the start of ``view``. ``end`` and ``error`` are set when it has been read."""

    def __init__(self, view: memoryview) -> None:
        if len(view) < _TABLE:
            raise InputError("the bundle is cut off in its header")
        self._view = view
        (self._count,) = _COUNT.unpack_from(view, len(MAGIC))
        self.end = _TABLE
        self.error: str | None = None

    def entries(self, bundle_size: int, trouble: list[str]) -> Iterator[BundleEntry]:
        """Yield the entries inside a bundle of ``bundle_size`` bytes.

        For each entry outside the bundle, append a message to ``trouble``.
        """
        for index in range(self._count):
            following = self.end + _ENTRY.size
            if following > len(self._view):
                self.error = f"the bundle's table is too small for {self._count} entries"
                return
            offset, size, id_size = _ENTRY.unpack_from(self._view, self.end)
            if not 0 < id_size <= _LONGEST_ID:
                self.error = (
                    f"entry {index} has an id of {id_size} bytes; expected 1 to {_LONGEST_ID}"
                )
                return
            if following + id_size > len(self._view):
                self.error = f"the bundle's table is cut off in entry {index}"
                return
            text = bytes(self._view[following : following + id_size]).decode("utf-8", "replace")
            self.end = following + id_size
            if size and offset + size > bundle_size:
                trouble.append(
                    f"entry '{text}' ends at byte {offset + size}, "
                    f"but its bundle ends at byte {bundle_size}"
                )
                continue
            kind, triple, arch = parse_id(text)
            yield BundleEntry(
                id=text, offload_kind=kind, triple=triple, arch=arch, offset=offset, size=size
            )
