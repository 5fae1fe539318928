"""Builders of small fat binaries and cubins, with access to every field."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import lz4.block
import zstandard

ELF, PTX, LTOIR, CONCATENATED = 2, 1, 8, 0x100
LZ4, ZSTD = 0x2000, 0x8000
_HEADER = struct.Struct("<HHIQIIHHIIIQQQ")


def align(size: int, to: int = 8) -> int:
    return -size % to + size


@dataclass(frozen=True, kw_only=True)
class NewEntry:
    """The content of an entry. ``extra`` is added to the size of its header."""

    data: bytes = b""
    kind: int = ELF
    arch: int = 90
    flags: int = 0x11
    options: bytes = b""
    identifier: bytes = b""
    version: tuple[int, int] = (1, 8)
    extra: int = 0


def compress(data: bytes, flags: int) -> bytes:
    if flags & ZSTD:
        return zstandard.ZstdCompressor().compress(data)
    return lz4.block.compress(data, store_size=False) if flags & LZ4 else data


def _tail(new: NewEntry, start: int) -> tuple[int, int, bytes]:
    """Return the offsets of the identifier and the options block, and their bytes."""
    identifier = options = 0
    tail = b""
    if new.identifier:
        identifier = start
        tail += (new.identifier + b"\0").ljust(align(len(new.identifier) + 1), b"\0")
    if new.options:
        options = start + len(tail)
        tail += struct.pack("<II", options + 8, len(new.options))
        tail += (new.options + b"\0").ljust(align(len(new.options) + 1), b"\0")
    return identifier, options, tail


def entry(new: NewEntry) -> bytes:
    identifier, options, tail = _tail(new, _HEADER.size)
    tail += bytes(new.extra)
    stored = compress(new.data, new.flags)
    is_compressed = bool(new.flags & (LZ4 | ZSTD))
    header = _HEADER.pack(
        new.kind,
        0x101,
        _HEADER.size + len(tail),
        align(len(stored)),
        len(stored) if is_compressed else 0,
        options,
        *reversed(new.version),
        new.arch,
        identifier,
        len(new.identifier),
        new.flags,
        0,
        len(new.data) if is_compressed else 0,
    )
    return header + tail + stored.ljust(align(len(stored)), b"\0")


def concatenated(members: tuple[NewEntry, ...], flags: int = 0x11 | ZSTD) -> bytes:
    whole = index = b""
    for new in members:
        identifier, options, tail = _tail(new, _HEADER.size)
        size = align(len(new.data))
        index += _HEADER.pack(
            *(new.kind, 0x101, len(whole), size, 0, options, *reversed(new.version)),
            *(new.arch, identifier, len(new.identifier), new.flags, 0, 0),
        )
        index += tail
        whole += new.data.ljust(size, b"\0")
    index = struct.pack("<II", len(members), 8 + len(index)) + index
    stored = compress(whole, flags)
    header = _HEADER.pack(
        *(CONCATENATED, 0x101, _HEADER.size + len(index), align(len(stored)), len(stored)),
        *(_HEADER.size, 1, 0, 0, 0, 0, flags, 0, len(whole)),
    )
    return header + index + stored.ljust(align(len(stored)), b"\0")


def container(*entries: bytes) -> bytes:
    body = b"".join(entries)
    return struct.pack("<4sHHQ", b"\x50\xed\x55\xba", 1, 16, len(body)) + body


def attribute(form: int, code: int, body: bytes | int = 0) -> bytes:
    """Return one record of ``.nv.info``."""
    if isinstance(body, bytes):
        return struct.pack("<BBH", form, code, len(body)) + body
    return struct.pack("<BBH", form, code, body)


def param(index: int, offset: int, size: int) -> bytes:
    return attribute(4, 0x17, struct.pack("<IHHI", 0, index, offset, size << 18))


def note(kind: int, body: bytes) -> bytes:
    head = struct.pack("<III", 12, len(body), kind) + b"NVIDIA Corp\0"
    return head + body.ljust(align(len(body), 4), b"\0")


def tool_note(command_line: str, version: str = "release 13.0, V13.0.88") -> bytes:
    offsets, strings = [], b""
    for text in ("", "ptxas", version, "branch", command_line):
        offsets.append(len(strings))
        strings += text.encode() + b"\0"
    return note(2000, struct.pack("<6I", 2, *offsets) + strings)


@dataclass(kw_only=True)
class CubinBuilder:
    """A builder of cubins. Both tables start with the empty entry that ELF requires."""

    abi: int = 8
    flags: int = 0x06005004
    type: int = 2
    version: int = 1
    sections: list[tuple[str, int, int, int, bytes | int]] = field(default_factory=list)
    symbols: list[tuple[str, int, int, int, int]] = field(default_factory=list)

    def section(
        self, name: str, kind: int = 1, data: bytes | int = b"", info: int = 0, flags: int = 0
    ) -> int:
        """Add a section. If ``data`` is a number, it is the size of a NOBITS section."""
        self.sections.append((name, kind, info, flags, data))
        return len(self.sections)

    def symbol(  # noqa: PLR0913 - the fields of an ELF symbol
        self, name: str, kind: int, section: int, *, size: int = 0, other: int = 0, binding: int = 1
    ) -> int:
        self.symbols.append((name, binding << 4 | kind, other, section, size))
        return len(self.symbols)

    def kernel(self, name: str, info: bytes, *, code_info: int = 0, code_flags: int = 6) -> int:
        """Add a kernel's code, symbol, and attributes, and return the index of the symbol."""
        code = self.section(f".text.{name}", 1, bytes(16), code_info, code_flags)
        self.section(f".nv.info.{name}", 0x7000_0000, info, code)
        return self.symbol(name, 2, code, size=16, other=0x10)

    def build(self) -> bytes:
        strings, symbols = bytearray(1), bytearray(24)
        for name, info, other, section, size in self.symbols:
            symbols += struct.pack("<IBBHQQ", len(strings), info, other, section, 0, size)
            strings += name.encode() + b"\0"
        count = len(self.sections)
        names, rows, content = bytearray(1), bytearray(64), bytearray()
        every = [
            *((*section, 0) for section in self.sections),
            (".strtab", 3, 0, 0, bytes(strings), 0),
            (".symtab", 2, 0, 0, bytes(symbols), count + 1),
            (".shstrtab", 3, 0, 0, b"", 0),
        ]
        for name, kind, info, flags, data, link in every:
            name_offset = len(names)
            names += name.encode() + b"\0"
            body = bytes(names) if name == ".shstrtab" else data
            size = body if isinstance(body, int) else len(body)
            entry_size = 24 if name == ".symtab" else 0
            rows += struct.pack(
                *("<IIQQQQIIQQ", name_offset, kind, flags, 0, 64 + len(content)),
                *(size, link, info, 1, entry_size),
            )
            content += b"" if isinstance(body, int) else body
        # Numbers that do not fit in the header are stored in the first section header.
        total, index, front_count = len(every) + 1, len(every), len(every) + 1
        if total >= 0xFF00:
            rows[:64] = struct.pack("<IIQQQQIIQQ", *([0] * 5), total, index, 0, 0, 0)
            front_count, index = 0, 0xFFFF
        front = b"\x7fELF\x02\x01\x01" + bytes([0x41 if self.abi == 8 else 0x33, self.abi])
        header = front.ljust(16, b"\0") + struct.pack(
            *("<HHIQQQIHHHHHH", self.type, 190, self.version, 0, 0, 64 + len(content)),
            *(self.flags, 64, 56, 0, 64, front_count, index),
        )
        return bytes(header + content + rows)
