"""Static archives (``ar``): the members in file order, with GNU or BSD long names.

Sources: System V ABI "Archive file", binutils ``include/aout/ar.h``, FreeBSD ``ar(5)``.
"""

from __future__ import annotations

from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.values import dataclass

MAGIC: Final = b"!<arch>\n"
THIN_MAGIC: Final = b"!<thin>\n"

_HEADER_SIZE: Final = 60
_HEADER_END: Final = b"`\n"
# The symbol tables (GNU 32-bit, GNU 64-bit, BSD) are stored as members, but are not files.
_SYMBOL_TABLES: Final = frozenset({"/", "/SYM64/", "__.SYMDEF", "__.SYMDEF SORTED"})
_GNU_NAMES: Final = "//"
# Forged members can share one name that fills the whole table.
_LONGEST_NAME: Final = 1 << 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One file in an archive."""

    name: str
    data: Buffer


def is_archive(content: bytes) -> bool:
    """Return whether ``content`` starts like an archive, including thin archives."""
    return content.startswith((MAGIC, THIN_MAGIC))


def read_members(content: Buffer) -> tuple[Member, ...]:
    """Return the members of an archive in file order, without symbol and name tables.

    Raises:
        InputError: The archive is thin, cut off, or damaged.
    """
    front = bytes(content[: len(MAGIC)])
    if front == THIN_MAGIC:
        raise InputError("a thin archive contains only paths; inspect its objects instead")
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
    """Return the name field and the bytes of the member whose header is at ``position``."""
    header = bytes(content[position : position + _HEADER_SIZE])
    if len(header) < _HEADER_SIZE or not header.endswith(_HEADER_END):
        raise InputError(f"invalid member header at byte {position} of the archive")
    size = _read_number(header[48:58], position)
    start = position + _HEADER_SIZE
    if start + size > len(content):
        raise InputError(
            f"the archive's member at byte {position} ends at byte {start + size}, "
            f"but the archive ends at byte {len(content)}"
        )
    name = header[:16].decode("utf-8", "replace").rstrip(" ")
    return name, content[start : start + size]


def _name_member(field: str, data: Buffer, long_names: Buffer) -> Member:
    if field.startswith("#1/"):
        # BSD: the member starts with the bytes of the name, padded with NULs.
        length = _read_number(field[3:].encode(), 0)
        if length > len(data):
            raise InputError(f"the archive's member name '{field}' is longer than the member")
        if length > _LONGEST_NAME:
            raise InputError(
                f"the archive has a member name of {length} bytes; the limit is {_LONGEST_NAME}"
            )
        name = bytes(data[:length]).rstrip(b"\0").decode("utf-8", "replace")
        return Member(name=name, data=data[length:])
    if field.startswith("/"):
        # GNU: an offset into the table of names, in which each name ends with "/\n".
        start = _read_number(field[1:].encode(), 0)
        stored, end, _ = bytes(long_names[start : start + _LONGEST_NAME]).partition(b"\n")
        if not end:
            raise InputError(f"the archive's member name '{field}' is not in its table of names")
        return Member(name=stored.decode("utf-8", "replace").removesuffix("/"), data=data)
    return Member(name=field.removesuffix("/"), data=data)


def _read_number(field: bytes, position: int) -> int:
    text = field.strip()
    # int() would also accept signs, underscores, and digits of other alphabets.
    if not text.isdigit() or not text.isascii():
        raise InputError(f"invalid number in the archive's member header at byte {position}")
    return int(text)
