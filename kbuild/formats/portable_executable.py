"""The sections of Windows programs and libraries.

Source: Microsoft, "PE Format": MS-DOS Stub, COFF File Header, and Section Table.
"""

from __future__ import annotations

import struct
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.values import dataclass

_DOS_MAGIC: Final = b"MZ"
_SIGNATURE: Final = b"PE\0\0"
# The position of the signature.
_POINTER: Final = struct.Struct("<I")
_POINTER_OFFSET: Final = 0x3C
# Machine, number of sections, and size of the optional header, after the signature.
_HEADER: Final = struct.Struct("<HH12xH2x")
# Name, virtual size, virtual address, size and position of the content, and flags.
_SECTION: Final = struct.Struct("<8sIIII12xI")
_MACHINES: Final = {0x8664: "x86_64", 0xAA64: "aarch64", 0x14C: "i386"}


@dataclass(frozen=True, slots=True, kw_only=True)
class PortableSection:
    """A section. The format keeps only the first eight characters of its name."""

    name: str
    content: Buffer


def is_portable_executable(front: Buffer) -> bool:
    """Return whether a file that starts with ``front`` is a Windows program or library."""
    start = _find_signature(front)
    return start is not None and bytes(front[start : start + len(_SIGNATURE)]) == _SIGNATURE


def _find_signature(content: Buffer) -> int | None:
    if bytes(content[:2]) != _DOS_MAGIC or len(content) < _POINTER_OFFSET + _POINTER.size:
        return None
    (start,) = _POINTER.unpack_from(content, _POINTER_OFFSET)
    return int(start)


def read_portable_executable(content: Buffer) -> tuple[str | None, tuple[PortableSection, ...]]:
    """Return the machine and the sections; the machine is None if it is an unusual one.

    Raises:
        InputError: A part is outside of the file.
    """
    start = (_find_signature(content) or 0) + len(_SIGNATURE)
    try:
        machine, count, optional_size = _HEADER.unpack_from(content, start)
        table = start + _HEADER.size + optional_size
        rows = [_SECTION.unpack_from(content, table + i * _SECTION.size) for i in range(count)]
    except struct.error as error:
        raise InputError("the section table extends past the end of the file") from error
    sections = []
    for name, virtual_size, _, size, position, _ in rows:
        if position + size > len(content):
            raise InputError(
                f"the section at {position:#x} extends past the end of the file "
                f"({len(content):#x} bytes)"
            )
        # The content is padded to the alignment of the file.
        sections.append(
            PortableSection(
                name=name.rstrip(b"\0").decode("ascii", "replace"),
                content=content[position : position + min(size, virtual_size or size)],
            )
        )
    return _MACHINES.get(machine), tuple(sections)
