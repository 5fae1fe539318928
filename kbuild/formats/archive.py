"""Static archives (``ar``): the members in their order, with GNU or BSD long names.

Sources: System V ABI "Archive file", binutils ``include/aout/ar.h``, FreeBSD ``ar(5)``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer

MAGIC: Final = b"!<arch>\n"
THIN_MAGIC: Final = b"!<thin>\n"

_HEADER_SIZE: Final = 60
_HEADER_END: Final = b"`\n"
# Symbol tables: GNU 32-bit, GNU 64-bit, BSD.  They hold no member's bytes.
_SYMBOL_TABLES: Final = frozenset({"/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED"})
_GNU_NAMES: Final = "//"
# Forged members may share the name that takes up all of the table.
_LONGEST_NAME: Final = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file in an archive."""

    name: str
    data: Buffer


def is_archive(content: bytes) -> bool:
    """Whether ``content`` starts like an archive, thin ones included."""
    return content.startswith((MAGIC, THIN_MAGIC))


def read_members(content: Buffer) -> tuple[Member, ...]:
    """The members of an archive, in order, without its symbol and name tables.

    Raises InputError when the archive is thin or cut off.
    """
    front = bytes(content[: len(MAGIC)])
    if front == THIN_MAGIC:
        raise InputError("a thin archive holds no members, only paths; inspect its objects instead")
    if front != MAGIC:
        raise InputError("not an archive")
    members: list[Member] = []
    long_names: Buffer = b""
    position = len(MAGIC)
    while position < len(content):
        name, data = _read_member(content, position)
        # Members start at even positions.
        position += _HEADER_SIZE + len(data) + len(data) % 2
        if name == _GNU_NAMES:
            long_names = data
        elif name not in _SYMBOL_TABLES:
            members.append(_name_member(name, data, long_names))
    return tuple(m for m in members if m.name not in _SYMBOL_TABLES)


def _read_member(content: Buffer, position: int) -> tuple[str, Buffer]:
    """The name field and the bytes of the member whose header is at ``position``."""
    header = bytes(content[position : position + _HEADER_SIZE])
    if len(header) < _HEADER_SIZE or not header.endswith(_HEADER_END):
        raise InputError(f"the archive has no sound member header at byte {position}")
    size = _number(header[48:58], position)
    start = position + _HEADER_SIZE
    if start + size > len(content):
        raise InputError(
            f"the archive's member at byte {position} ends at byte {start + size}, "
            f"the archive at {len(content)}"
        )
    name = header[:16].decode("utf-8", "replace").rstrip(" ")
    return name, content[start : start + size]


def _name_member(field: str, data: Buffer, long_names: Buffer) -> Member:
    if field.startswith("#1/"):
        # BSD: the name's bytes come first in the member, padded with NULs.
        length = _number(field[3:].encode(), 0)
        if length > len(data):
            raise InputError(f"the archive's member name {field!r} is longer than the member")
        if length > _LONGEST_NAME:
            raise InputError(f"the archive has a member name of {length} bytes")
        name = bytes(data[:length]).rstrip(b"\0").decode("utf-8", "replace")
        return Member(name=name, data=data[length:])
    if field.startswith("/"):
        # GNU: an offset into the table of names, each ending in "/\n".
        start = _number(field[1:].encode(), 0)
        stored, end, _ = bytes(long_names[start : start + _LONGEST_NAME]).partition(b"\n")
        if not end:
            raise InputError(f"the archive's member name {field!r} is not in its table of names")
        return Member(name=stored.decode("utf-8", "replace").removesuffix("/"), data=data)
    return Member(name=field.removesuffix("/"), data=data)


def _number(field: bytes, position: int) -> int:
    text = field.strip()
    # int() would take signs, underscores and other alphabets' digits too.
    if not text.isdigit() or not text.isascii():
        raise InputError(f"the archive has no sound number in its header at byte {position}")
    return int(text)
