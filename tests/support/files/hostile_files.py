"""Builders of hostile files, which declare more data than they contain."""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

SPARSE = 4 << 30
PROGBITS, SYMTAB, STRTAB, RELA, DYNAMIC, NOTE, NOBITS = 1, 2, 3, 4, 6, 7, 8
INIT_ARRAY, RELR = 14, 19
SOUND_PTX = b".version 8.4\n.target sm_90\n.visible .entry sound(.param .u32 a) { ret; }\n"


@dataclass(frozen=True, kw_only=True)
class Part:
    """A section. If ``size`` or ``offset`` is given, it replaces the correct value.

    ``named_like`` is the index of the part whose name this section shares.
    """

    name: str = ""
    type: int = PROGBITS
    data: bytes = b""
    size: int | None = None
    offset: int | None = None
    address: int = 0
    flags: int = 2
    link: int = 0
    info: int = 0
    entry_size: int = 0
    named_like: int | None = None


def make_elf(
    parts: Sequence[Part], *, kind: int = 1, names: int | None = None, **header: int
) -> bytes:
    """Return a host file.

    Args:
        parts: The sections, which get the indexes from 1. A section with the names follows.
        kind: The type of the file (``ET_``).
        names: Replaces the index of the section with the names.
        header: Replaces fields of the ELF header, by name.
    """
    strings = bytearray(1)
    places: list[int] = []
    for part in parts:
        if part.named_like is not None:
            places.append(places[part.named_like])
            continue
        places.append(len(strings))
        strings += part.name.encode() + b"\0"
    every = [*parts, Part(type=STRTAB, data=bytes(strings), flags=0)]
    body, rows = bytearray(), bytearray(64)
    for part, place in zip(every, [*places, 0], strict=True):
        offset = 64 + len(body) if part.offset is None else part.offset
        size = len(part.data) if part.size is None else part.size
        rows += struct.pack(
            *("<IIQQQQIIQQ", place, part.type, part.flags, part.address, offset, size),
            *(part.link, part.info, 1, part.entry_size),
        )
        body += part.data
    count = len(every) + 1
    if count >= 0xFF00:
        struct.pack_into("<QI", rows, 32, count, len(every))
    fields = {
        "type": kind,
        "machine": 62,
        "version": 1,
        "entry": 0,
        "phoff": 0,
        "shoff": 64 + len(body),
        "flags": 0,
        "ehsize": 64,
        "phentsize": 56,
        "phnum": 0,
        "shentsize": 64,
        "shnum": count if count < 0xFF00 else 0,
        "shstrndx": (len(every) if count < 0xFF00 else 0xFFFF) if names is None else names,
    }
    fields |= header
    front = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    return front + struct.pack("<HHIQQQIHHHHHH", *fields.values()) + bytes(body + rows)


def symbols(count: int, *, name: int = 0, section: int = 1) -> bytes:
    """Return a file with ``count`` symbols of the same name, after the empty first symbol."""
    return bytes(24) + struct.pack("<IBBHQQ", name, 0x12, 0, section, 0, 8) * (count - 1)


def write_sparse(path: Path, *pieces: tuple[int, bytes], size: int = SPARSE) -> Path:
    """Write a sparse file of ``size`` bytes that stores only these pieces."""
    with path.open("wb") as stream:
        stream.truncate(size)
        for offset, data in pieces:
            stream.seek(offset)
            stream.write(data)
    return path


def write_sparse_elf(
    path: Path, section: str, kind: int, entry_size: int = 0, size: int = SPARSE
) -> Path:
    """Write a sparse ELF file that consists mostly of one section, which contains zeros."""
    names = Part(type=STRTAB, data=b"\0")
    part = Part(
        name=section, type=kind, offset=4096, size=size - 4096, entry_size=entry_size, link=2
    )
    return write_sparse(path, (0, make_elf([part, names])), size=size)


def make_member(field: str, data: bytes, size: int | None = None) -> bytes:
    size = len(data) if size is None else size
    header = f"{field:<16}{0:<12}{0:<6}{0:<6}{644:<8}{size:<10}`\n".encode()
    return header + data + b"\n" * (len(data) % 2)


def make_archive(members: Iterable[tuple[str, bytes]]) -> bytes:
    return b"!<arch>\n" + b"".join(make_member(field, data) for field, data in members)


def make_wheel(members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as wheel:
        for name, data in members:
            wheel.writestr(zipfile.ZipInfo(name), data, method)
    return stream.getvalue()


def repeat_directory(wheel: bytes, count: int, *, extra: bytes = b"", offset: int = 0) -> bytes:
    """Return a wheel whose directory lists its first member ``count`` times."""
    start = wheel.index(b"PK\x01\x02")
    end = wheel.index(b"PK\x05\x06")
    front = bytearray(wheel[start : start + 46])
    (name_size,) = struct.unpack_from("<H", front, 28)
    name = wheel[start + 46 : start + 46 + name_size]
    if extra:
        struct.pack_into("<H", front, 30, len(extra))
    if offset:
        struct.pack_into("<I", front, 42, offset)
    directory = (bytes(front) + name + extra) * count
    short = min(count, 0xFFFF)
    tail = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, short, short, len(directory), start, 0)
    return wheel[:start] + directory + tail if end else b""
