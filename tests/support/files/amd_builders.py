"""Builders of offload bundles, offload binaries, and code objects."""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgpack
import zstandard

BUNDLE_MAGIC = b"__CLANG_OFFLOAD_BUNDLE__"
OFFLOAD_MAGIC = b"\x10\xff\x10\xad"
ZLIB, ZSTD = 0, 1
HOST = "host-x86_64-unknown-linux--"
GFX90A = "hipv4-amdgcn-amd-amdhsa--gfx90a:sramecc+:xnack-"
NewImage = tuple[str, bytes]


def bundle(images: Sequence[NewImage], alignment: int = 64) -> bytes:
    """Return a bundle of (id, data) images, each at a multiple of ``alignment``."""
    table = BUNDLE_MAGIC + struct.pack("<Q", len(images))
    end = len(table) + sum(24 + len(name.encode()) for name, _ in images)
    body, start = b"", end
    for name, data in images:
        offset = align(end, alignment)
        body += bytes(offset - end) + data
        end = offset + len(data)
        encoded = name.encode()
        table += struct.pack("<QQQ", offset, len(data), len(encoded)) + encoded
    return table + (body if any(data for _, data in images) else body[: end - start])


def compress(data: bytes, method: int) -> bytes:
    return zstandard.ZstdCompressor().compress(data) if method == ZSTD else zlib.compress(data)


def compressed_bundle(
    data: bytes, *, version: int = 3, method: int = ZSTD, digest: int | None = None
) -> bytes:
    stored = compress(data, method)
    if digest is None:
        digest = int.from_bytes(hashlib.md5(data, usedforsecurity=False).digest()[:8], "little")
    front = struct.pack("<4sHH", b"CCOB", version, method)
    if version == 1:
        return front + struct.pack("<IQ", len(data), digest) + stored
    if version == 2:
        return front + struct.pack("<IIQ", 24 + len(stored), len(data), digest) + stored
    return front + struct.pack("<QQQ", 32 + len(stored), len(data), digest) + stored


@dataclass(frozen=True, kw_only=True)
class NewBinaryEntry:
    """One image of an offload binary."""

    data: bytes = b""
    kind: int = 1
    offload_kind: int = 4
    flags: int = 0
    strings: tuple[tuple[str, str], ...] = ()


def offload_binary(
    entries: Sequence[NewBinaryEntry], *, version: int = 3, method: int | None = None
) -> bytes:
    """Return an offload binary of version 2 or 3, compressed if ``method`` is given."""
    first = 32 if version == 2 else 40
    strings_start = first + 40 * len(entries)
    text_start = strings_start + sum(24 * len(entry.strings) for entry in entries)
    rows, pairs, text, images = b"", b"", b"", b""
    text_size = 1 + sum(
        len(key.encode()) + len(value.encode()) + 2 for e in entries for key, value in e.strings
    )
    image_start = text_start + text_size + -(text_start + text_size) % 8
    text = b"\0"
    for entry in entries:
        rows += struct.pack(
            *("<HHIQQ", entry.kind, entry.offload_kind, entry.flags, strings_start + len(pairs)),
            len(entry.strings),
        ) + struct.pack("<QQ", image_start + len(images), len(entry.data))
        for key, value in entry.strings:
            encoded = key.encode(), value.encode()
            value_at = text_start + len(text) + len(encoded[0]) + 1
            pairs += struct.pack("<QQQ", text_start + len(text), value_at, len(encoded[1]))
            text += encoded[0] + b"\0" + encoded[1] + b"\0"
        images += entry.data
    body = (rows + pairs + text).ljust(image_start - first, b"\0") + images
    body += bytes(-(first + len(body)) % 8)
    inflated = first + len(body)
    stored = body if method is None else compress(body, method)
    header = struct.pack(
        *("<4sIQQQ", OFFLOAD_MAGIC, version, first + len(stored), first, len(entries))
    )
    if version == 3:
        header += struct.pack("<Q", 0 if method is None else inflated)
    whole = header + stored
    return whole + bytes(-len(whole) % 8)


def align(size: int, to: int = 8) -> int:
    return -size % to + size


def metadata_note(root: Any, *, owner: bytes = b"AMDGPU\0", kind: int = 32) -> bytes:
    body = root if isinstance(root, bytes) else msgpack.packb(root)
    head = struct.pack("<III", len(owner), len(body), kind) + owner.ljust(
        align(len(owner), 4), b"\0"
    )
    return head + body.ljust(align(len(body), 4), b"\0")


def argument(offset: int, size: int, kind: str = "by_value", **more: Any) -> dict[str, Any]:
    return {".offset": offset, ".size": size, ".value_kind": kind, **more}


def kernel_metadata(name: str, **changes: Any) -> dict[str, Any]:
    """Return a kernel's metadata as compilers write it; keys of ``changes`` omit the dot."""
    row = {
        ".name": name,
        ".symbol": name + ".kd",
        ".args": [argument(0, 4), argument(8, 8, "global_buffer")],
        ".kernarg_segment_size": 16,
        ".kernarg_segment_align": 8,
        ".group_segment_fixed_size": 400,
        ".private_segment_fixed_size": 32,
        ".max_flat_workgroup_size": 256,
        ".vgpr_count": 10,
        ".agpr_count": 2,
        ".sgpr_count": 20,
        ".vgpr_spill_count": 3,
        ".sgpr_spill_count": 4,
        ".wavefront_size": 64,
        ".uses_dynamic_stack": False,
    }
    row |= {f".{key}": value for key, value in changes.items()}
    return {key: value for key, value in row.items() if value is not ...}


def descriptor(lds: int = 400, scratch: int = 32, kernarg: int = 16, properties: int = 0) -> bytes:
    return struct.pack("<III4xq20xIIIH6x", lds, scratch, kernarg, 64, 0, 0, 0, properties)


FUNC, OBJECT, OLD_KERNEL = 2, 1, 10


@dataclass(kw_only=True)
class CodeObjectBuilder:
    """A builder of code objects. Both tables start with the empty entry that ELF requires."""

    abi: int = 3
    os_abi: int = 64
    flags: int = 0x53F
    type: int = 3
    is_stripped: bool = False
    sections: list[tuple[str, int, int, int, bytes | int]] = field(default_factory=list)
    symbols: list[tuple[str, int, int, int, int]] = field(default_factory=list)

    def section(
        self, name: str, kind: int = 1, data: bytes | int = b"", address: int = 0, flags: int = 2
    ) -> int:
        """Add a section. If ``data`` is a number, it is the size of a NOBITS section."""
        self.sections.append((name, kind, flags, address, data))
        return len(self.sections)

    def symbol(  # noqa: PLR0913 - the fields of an ELF symbol
        self, name: str, kind: int, section: int, *, value: int = 0, size: int = 0, binding: int = 1
    ) -> None:
        self.symbols.append((name, binding << 4 | kind, section, value, size))

    def metadata(self, *kernels: Any, target: str | None = "gfx90a") -> None:
        root: dict[str, Any] = {"amdhsa.version": [1, 2], "amdhsa.kernels": list(kernels)}
        if target is not None:
            root["amdhsa.target"] = f"amdgcn-amd-amdhsa--{target}"
        self.section(".note", 7, metadata_note(root))

    def kernel(self, name: str, data: bytes | None = None, *, binding: int = 1) -> None:
        """Add the descriptor and the code of a kernel."""
        rodata = self.section(".rodata", 1, descriptor() if data is None else data, 0x1000)
        text = self.section(".text", 1, bytes(96), 0x2000, 6)
        self.symbol(f"{name}.kd", OBJECT, rodata, value=0x1000, size=64, binding=binding)
        self.symbol(name, FUNC, text, value=0x2000, size=96, binding=binding)

    def build(self) -> bytes:
        strings, symbols = bytearray(1), bytearray(24)
        for name, info, section, value, size in self.symbols:
            symbols += struct.pack("<IBBHQQ", len(strings), info, 0, section, value, size)
            strings += name.encode() + b"\0"
        count = len(self.sections)
        names, rows, content = bytearray(1), bytearray(64), bytearray()
        every = [
            *((*section, 0) for section in self.sections),
            (".strtab", 3, 0, 0, bytes(strings), 0),
            (".symtab", 11 if self.is_stripped else 2, 0, 0, bytes(symbols), count + 1),
            (".shstrtab", 3, 0, 0, b"", 0),
        ]
        for name, kind, flags, address, data, link in every:
            name_offset = len(names)
            names += name.encode() + b"\0"
            body = bytes(names) if name == ".shstrtab" else data
            size = body if isinstance(body, int) else len(body)
            entry_size = 24 if name == ".symtab" else 0
            rows += struct.pack(
                *("<IIQQQQIIQQ", name_offset, kind, flags, address, 64 + len(content)),
                *(size, link, 0, 1, entry_size),
            )
            content += b"" if isinstance(body, int) else body
        front = b"\x7fELF\x02\x01\x01" + bytes([self.os_abi, self.abi])
        header = front.ljust(16, b"\0") + struct.pack(
            *("<HHIQQQIHHHHHH", self.type, 224, 1, 0, 0, 64 + len(content)),
            *(self.flags, 64, 56, 0, 64, len(every) + 1, len(every)),
        )
        return bytes(header + content + rows)
