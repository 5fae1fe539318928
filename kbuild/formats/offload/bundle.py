"""Clang's offload bundles: the containers of ``.hip_fatbin``, plain and compressed.

A bundle is a table of entries and then the images, one a target.  A compressed one
(``CCOB``) is a header and then the same, compressed as a whole.  What a content holds is
listed here without decompressing images; `load` gives the whole of one bundle.

Sources: "Clang Offload Bundler" in clang's documentation, for entries and their ids;
``CompressedOffloadBundle`` in ``clang/Driver/OffloadBundler.h``.  All numbers are
little-endian.
"""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, skip_zeros
from kbuild.formats.compressed_front import Budget, make_budget, read_front
from kbuild.formats.compression import DEFAULT_LIMIT, decompress
from kbuild.formats.offload.bundle_header import BundleHeader, find_size, read_header
from kbuild.model import Compression, Problem

MAGIC: Final = b"__CLANG_OFFLOAD_BUNDLE__"
COMPRESSED_MAGIC: Final = b"CCOB"
# What the header's numbers need.  clang aligns bundles to pages, its linker wrapper does not,
# and the runtime reads them where they lie.
ALIGNMENT: Final = 8

_COUNT: Final = struct.Struct("<Q")
_TABLE: Final = len(MAGIC) + _COUNT.size
# offset, size, size of the id
_ENTRY: Final = struct.Struct("<QQQ")
_LONGEST_ID: Final = 4096
# What is decompressed at first, and how much more each time that it is not enough.
_FIRST_FRONT: Final = 4096
_GROWTH: Final = 8
_HASH: Final = slice(0, 8)

_NEXT: Final = re.compile(re.escape(MAGIC) + rb"|" + COMPRESSED_MAGIC + rb"[\1-\3]\0[\0\1]\0")
# The last part of an id whose triple has no environment and no dash in its place.
_PROCESSOR: Final = re.compile(r"gfx|sm_")


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleEntry:
    """One image; ``offset`` counts from the start of the bundle, decompressed if it was not.

    ``id`` is as written, the other names are its parts: ``arch`` is a target id with its
    features (``gfx90a:xnack+``), empty for the host.
    """

    id: str
    offload_kind: str
    triple: str
    arch: str
    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One bundle; ``offset`` counts from the content's start, ``size`` is what it takes there.

    A bundle that is not compressed does not say its size; it ends with its last image.
    ``compression`` is None where its method is not known; ``version`` and ``hash`` are
    those of a compressed bundle.
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
    """Offload kind, triple and target id of an entry, or of the section named after one."""
    kind, _, rest = text.removeprefix(MAGIC.decode()).partition("-")
    *machine, tail = rest.split("-", 3)
    if _PROCESSOR.match(tail):
        environment, arch = "", tail
    else:
        environment, _, arch = tail.partition("-")
    if kind == "host":
        # Given an id that ends in a dash, the bundler of LLVM 19 puts the whole id there.
        arch = ""
    return kind, "-".join((*machine, environment)).rstrip("-"), arch


def read_bundles(content: Buffer) -> tuple[tuple[Bundle, ...], tuple[Problem, ...]]:
    """Every bundle in ``content``, in order, and what could not be made sense of.

    Never raises: after a broken bundle, reading goes on at the next magic number.  A
    problem's offset is that of the bundle that it is about.
    """
    bundles: list[Bundle] = []
    problems: list[Problem] = []
    budget = make_budget(len(content))
    view = memoryview(content)
    position = skip_zeros(content, 0)
    while position < len(content):
        trouble: list[str] = []
        try:
            bundle = _read_bundle(view, position, trouble, budget)
        except InputError as error:
            trouble.append(str(error))
            following = _NEXT.search(content, position + 1)
            end = following.start() if following else len(content)
        else:
            bundles.append(bundle)
            end = skip_zeros(content, position + bundle.size)
        where = f"byte {position:#x}"
        problems += (Problem(where=where, message=text, offset=position) for text in trouble)
        position = end
    return tuple(bundles), tuple(problems)


def load(bundle: Bundle, content: Buffer, *, limit: int = DEFAULT_LIMIT) -> Buffer:
    """The whole bundle, decompressed: its entries' offsets count from its start.

    Nothing is copied where it is not compressed.  Raises InputError where it cannot be
    decompressed, is larger than ``limit``, or is not what its hash says.
    """
    view = memoryview(content)[bundle.offset : bundle.offset + bundle.size]
    if bundle.compression is None:
        raise InputError("the bundle is compressed in a way that is not known")
    stored = view[bundle.header_size :]
    data = decompress(bundle.compression, stored, bundle.uncompressed_size, limit=limit)
    if bundle.hash is not None:
        digest = hashlib.md5(data, usedforsecurity=False).digest()
        if int.from_bytes(digest[_HASH], "little") != bundle.hash:
            raise InputError("the bundle is not what was compressed: its hash is another one")
    return data


def _read_bundle(view: memoryview, start: int, trouble: list[str], budget: Budget) -> Bundle:
    front = bytes(view[start : start + len(MAGIC)])
    if front == MAGIC:
        return _read_plain(view, start, trouble)
    if front.startswith(COMPRESSED_MAGIC):
        return _read_compressed(view, start, trouble, budget)
    raise InputError("no offload bundle starts here (bad magic number)")


def _read_plain(view: memoryview, start: int, trouble: list[str]) -> Bundle:
    there = len(view) - start
    table = _Table(view[start:])
    entries = tuple(table.entries(there, trouble))
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
    there = len(view) - start
    size = there
    try:
        size = find_size(header, view, start, budget)
    except InputError as error:
        trouble.append(str(error))
    if size > there:
        trouble.append(f"the compressed bundle says {size} bytes, {there} are there")
        size = there
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
    """The entries of a compressed bundle, of whose front ever more is decompressed."""
    if header.compression is None:
        raise InputError("the bundle is compressed in a way that is not known")
    size = _FIRST_FRONT
    while True:
        front = read_front(header.compression, stored, size, budget)
        if front[: len(MAGIC)] != MAGIC:
            raise InputError("no offload bundle is in the compressed one")
        found: list[str] = []
        table = _Table(memoryview(front))
        entries = tuple(table.entries(header.uncompressed_size, found))
        if not table.error or len(front) < size:
            break
        size *= _GROWTH
    trouble += found
    if table.error:
        trouble.append(table.error)
    return entries


class _Table:
    """The table at the start of ``view``; ``end`` and ``error`` are known when it is read."""

    def __init__(self, view: memoryview) -> None:
        if len(view) < _TABLE:
            raise InputError("the bundle is cut off in its header")
        self._view = view
        (self._count,) = _COUNT.unpack_from(view, len(MAGIC))
        self.end = _TABLE
        self.error: str | None = None

    def entries(self, bundle_size: int, trouble: list[str]) -> Iterator[BundleEntry]:
        """The entries that lie in a bundle of that size; ``trouble`` names the others."""
        for index in range(self._count):
            following = self.end + _ENTRY.size
            if following > len(self._view):
                self.error = f"the bundle's table has no room for {self._count} entries"
                return
            offset, size, id_size = _ENTRY.unpack_from(self._view, self.end)
            if not 0 < id_size <= _LONGEST_ID:
                self.error = f"entry {index} has an id of {id_size} bytes"
                return
            if following + id_size > len(self._view):
                self.error = f"the bundle's table is cut off in entry {index}"
                return
            text = bytes(self._view[following : following + id_size]).decode("utf-8", "replace")
            self.end = following + id_size
            if size and offset + size > bundle_size:
                trouble.append(
                    f"entry {text} ends at byte {offset + size}, its bundle at {bundle_size}"
                )
                continue
            kind, triple, arch = parse_id(text)
            yield BundleEntry(
                id=text, offload_kind=kind, triple=triple, arch=arch, offset=offset, size=size
            )
