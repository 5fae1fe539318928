"""Entries of NVIDIA's fat binary containers: one device image each, or several concatenated.

The header of an entry has 64 bytes and a tail of variable length. The tail contains the
identifier and the *options block*: ``{u32 offset, u32 size}`` and its text. A *concatenated*
entry (``fatbinary --concat``, toolkit 13.4) compresses several images together. Its options
block is an index ``{u32 count, u32 size}`` of members. The header of a member has the same
fields, with two differences: the offset of the member replaces the header size, and the payload
size does not include padding.

Sources: see `kbuild.formats.nvidia.fatbin.containers`.
"""

from __future__ import annotations

import struct
from typing import Final, Literal, NamedTuple, TypeAlias

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, align_up
from kbuild.model import Compression
from kbuild.values import dataclass

EntryKind: TypeAlias = Literal["elf", "ptx", "ltoir", "relocatable-ptx", "tile-ir", "other"]

_KINDS: Final[dict[int, EntryKind]] = {
    1: "ptx",
    2: "elf",
    8: "ltoir",
    0x40: "relocatable-ptx",
    0x80: "tile-ir",
}
_CONCATENATED: Final = 0x100
_ARCH_PREFIXES: Final[dict[EntryKind, str]] = {
    "ptx": "compute_",
    "relocatable-ptx": "compute_",
    "ltoir": "lto_",
}

_DEBUG: Final = 0x2
_HOSTS: Final = {0x10: "linux", 0x20: "mac", 0x40: "windows"}
_LZ4: Final = 0x2000
_ZSTD: Final = 0x8000
_COMPRESSIONS: Final[dict[int, Compression]] = {_LZ4: "lz4", _ZSTD: "zstd"}
_ARCH_SPECIFIC: Final = 0x10_0000
_FAMILY_SPECIFIC: Final = 0x20_0000

# kind, version, header size, payload size, compressed size, options offset, minor, major,
# architecture, identifier offset and length, flags, unknown, uncompressed size
_HEADER: Final = struct.Struct("<HHIQIIHHIIIQQQ")
_PAIR: Final = struct.Struct("<II")


class _Header(NamedTuple):
    """The fixed part of a header. For a member, ``header_size`` is the offset of the member."""

    kind: int
    version: int
    header_size: int
    payload_size: int
    compressed_size: int
    options: int
    minor: int
    major: int
    arch: int
    identifier: int
    identifier_size: int
    flags: int
    unknown: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The stored bytes of an entry: ``stored_size`` bytes from ``offset``.

    ``size`` is the decompressed size. ``compression`` is None if the method is unknown.
    """

    offset: int
    stored_size: int
    size: int
    compression: Compression | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One device image: ``size`` bytes from ``start`` of the decompressed payload.

    The members of a concatenated entry share ``payload``, ``offset``, and ``span``; every other
    image fills its whole payload. The size of an uncompressed payload includes up to seven
    bytes of padding. ``code_version`` is (major, minor) of the PTX language, or for ELF (1, ABI
    of the cubin). ``options`` is the ptxas command line for PTX, and the cicc command line for
    LTO-IR.
    """

    offset: int
    span: int
    kind: EntryKind
    kind_code: int
    arch_number: int
    code_version: tuple[int, int]
    flags: int
    payload: Payload
    start: int
    size: int
    options: str
    identifier: str

    @property
    def suffix(self) -> str:
        """``a`` for code for one architecture only, ``f`` for its family, else empty."""
        if self.flags & _ARCH_SPECIFIC:
            return "a"
        return "f" if self.flags & _FAMILY_SPECIFIC else ""

    @property
    def arch(self) -> str:
        """The architecture as the vendor writes it: ``sm_90a``, ``compute_90``, ``lto_90``."""
        prefix = _ARCH_PREFIXES.get(self.kind, "sm_")
        return f"{prefix}{self.arch_number}{self.suffix}"

    @property
    def is_debug(self) -> bool:
        """Whether the image was compiled for the debugger (``-G``)."""
        return bool(self.flags & _DEBUG)

    @property
    def host(self) -> str | None:
        """The host operating system of the image; None if the flags do not name one."""
        return next((name for bit, name in _HOSTS.items() if self.flags & bit), None)


def read_entry(content: Buffer, start: int, end: int) -> tuple[tuple[Entry, ...], int, list[str]]:
    """Read the entry at ``start``.

    Args:
        content: The content that contains the container.
        start: The position of the entry.
        end: The position of the end of the container.

    Returns:
        The images of the entry, the position of the next entry, and messages about damage.

    Raises:
        InputError: The size of the entry is unknown because its header is damaged.
    """
    if start + _HEADER.size > end:
        raise InputError("the entry is cut off in its header")
    header = _Header(*_HEADER.unpack_from(content, start))
    if header.header_size < _HEADER.size:
        raise InputError(
            f"the entry header declares {header.header_size} bytes; expected at least "
            f"{_HEADER.size}"
        )
    first = start + header.header_size
    if first > end:
        raise InputError("the entry header extends past the end of its container")
    following = first + header.payload_size
    problems = []
    if following > end:
        problems.append(
            f"the entry declares {header.payload_size} bytes, but only {end - first} follow"
        )
        following = end
    payload = _describe_payload(header, first, following - first, problems)
    if header.kind == _CONCATENATED:
        try:
            members = _read_members(content, start, following, header, payload)
        except InputError as error:
            problems.append(str(error))
        else:
            return members, following, problems
    view = memoryview(content)[start:first]
    entry = _describe(view, header, offset=start, span=following - start, payload=payload)
    if entry is None:
        raise InputError("the identifier or the options of the entry are outside its header")
    return (entry,), following, problems


def _describe_payload(header: _Header, offset: int, available: int, problems: list[str]) -> Payload:
    compression = _COMPRESSIONS.get(header.flags & (_LZ4 | _ZSTD))
    if header.compressed_size == 0:
        if compression:
            problems.append(f"the entry declares {compression} compression, but no size for it")
        return Payload(offset=offset, stored_size=available, size=available, compression="none")
    if header.compressed_size > available:
        problems.append(
            f"the entry declares {header.compressed_size} compressed bytes, "
            f"but only {available} follow"
        )
    return Payload(
        offset=offset,
        stored_size=min(header.compressed_size, available),
        size=header.size,
        compression=compression,
    )


def _describe(  # noqa: PLR0913 - a header and its position
    view: memoryview,
    header: _Header,
    *,
    offset: int,
    span: int,
    payload: Payload,
    member: bool = False,
) -> Entry | None:
    """Return the entry whose header starts ``view``; None if its tail extends past ``view``."""
    identifier = _read_text(view, header.identifier, header.identifier_size)
    options: str | None = ""
    if header.options and header.kind != _CONCATENATED:
        options = _read_options(view, header.options)
    if identifier is None or options is None:
        return None
    return Entry(
        offset=offset,
        span=span,
        kind=_KINDS.get(header.kind, "other"),
        kind_code=header.kind,
        arch_number=header.arch,
        code_version=(header.major, header.minor),
        flags=header.flags,
        payload=payload,
        start=header.header_size if member else 0,
        size=header.payload_size if member else payload.size,
        options=options,
        identifier=identifier,
    )


def _read_members(
    content: Buffer, start: int, following: int, header: _Header, payload: Payload
) -> tuple[Entry, ...]:
    index = memoryview(content)[start + header.options : payload.offset]
    if not header.options or len(index) < _PAIR.size:
        raise InputError("the concatenated entry has no index")
    count, size = _PAIR.unpack_from(index)
    if size > len(index):
        raise InputError("the index of the concatenated entry is outside its header")
    members = []
    position = _PAIR.size
    # Members follow each other in the decompressed payload. Therefore, all of them together
    # are never larger than the entry declares.
    reached = 0
    for _ in range(count):
        if position + _HEADER.size > size:
            raise InputError(
                f"the index of the concatenated entry is too small for {count} members"
            )
        view = index[position:size]
        member = _Header(*_HEADER.unpack_from(view))
        if member.kind == _CONCATENATED:
            raise InputError("a member of the concatenated entry is itself concatenated")
        entry = _describe(
            view, member, offset=start, span=following - start, payload=payload, member=True
        )
        if entry is None or not reached <= entry.start <= payload.size - entry.size:
            raise InputError("a member of the concatenated entry is outside its payload")
        reached = entry.start + entry.size
        members.append(entry)
        position += _member_header_size(view, member)
    return tuple(members)


def _member_header_size(view: memoryview, member: _Header) -> int:
    """Compute the header size, which a member does not declare.

    The texts of a member end with a NUL, and members are aligned to 8 bytes.
    """
    size = _HEADER.size
    if member.identifier:
        size = max(size, member.identifier + member.identifier_size + 1)
    if member.options:
        text_offset, text_size = _PAIR.unpack_from(view, member.options)
        size = max(size, text_offset + text_size + 1)
    return align_up(size, 8)


def _read_options(view: memoryview, offset: int) -> str | None:
    if offset + _PAIR.size > len(view):
        return None
    text_offset, size = _PAIR.unpack_from(view, offset)
    return _read_text(view, text_offset, size)


def _read_text(view: memoryview, offset: int, size: int) -> str | None:
    """Return the text up to the first NUL; None if it is outside ``view``.

    After the options of a cubin, a copy of ``.nv.compat`` follows the NUL.
    """
    if not offset:
        return ""
    if offset + size > len(view):
        return None
    return bytes(view[offset : offset + size]).partition(b"\0")[0].decode("utf-8", "replace")
