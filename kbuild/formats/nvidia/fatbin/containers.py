"""NVIDIA's fat binaries: the containers of ``.nv_fatbin``, ``__nv_relfatbin`` and ``.fatbin``.

A container consists of a header and entries. An entry contains one device image, or several
images that are compressed together. This module lists them without decompressing anything;
`kbuild.formats.nvidia.fatbin.payload` reads the images.

Sources: the magic numbers and section names are those of ``fatbinary_section.h`` in the
CUDA toolkit. The layouts of containers and entries are not documented. They were found by
changing one option of ``nvcc`` and ``fatbinary`` at a time (toolkits 11.8 to 13.4), and
compared with the output of ``cuobjdump``. All numbers are little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import KEPT, Buffer, release, skip_zeros
from kbuild.formats.container_scan import problem_at, scan_containers
from kbuild.formats.nvidia.fatbin.entry import Entry, read_entry
from kbuild.model import Problem
from kbuild.values import dataclass

MAGIC: Final = b"\x50\xed\x55\xba"
VERSION: Final = 1
ALIGNMENT: Final = 8

WRAPPER_SECTION: Final = ".nvFatBinSegment"
WRAPPER_MAGIC: Final = 0x466243B1
WRAPPER_SIZE: Final = 24

# magic, version, header size, bytes that follow
_HEADER: Final = struct.Struct("<4sHHQ")
# magic, version, container, and file name or prelinked containers
_WRAPPER: Final = struct.Struct("<IIQQ")
_NEXT_MAGIC: Final = re.compile(re.escape(MAGIC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container. All offsets count from the start of the content.

    ``size`` includes the header; it is smaller than declared if the content is cut off. In
    whole-program mode, there is one container per translation unit.
    """

    offset: int
    size: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """One record of ``.nvFatBinSegment``, as it is stored in the file.

    ``version`` is 1, or 2 for output of the device linker. ``container`` is the offset, in the
    section, of the pointer to the container. Resolve this pointer through the relocations,
    because the stored bytes can be zero.
    """

    offset: int
    version: int
    container: int


def read_containers(content: Buffer) -> tuple[tuple[Container, ...], tuple[Problem, ...]]:
    """Return every container in ``content``, in order, and the damage found. Never raises.

    The offset of a problem is that of the container or entry that it concerns.
    """

    def read_container(position: int, problems: list[Problem]) -> tuple[Container, int]:
        container = _read_container(content, position, problems)
        return container, position + container.size

    return scan_containers(content, _NEXT_MAGIC, read_container)


def _read_container(content: Buffer, start: int, problems: list[Problem]) -> Container:
    if content[start : start + len(MAGIC)] != MAGIC:
        raise InputError("expected a fat binary container, but found a different magic number")
    if len(content) - start < _HEADER.size:
        raise InputError("the container is cut off in its header")
    _, version, header_size, size = _HEADER.unpack_from(content, start)
    if version != VERSION:
        raise InputError(f"unsupported container version {version}; expected {VERSION}")
    if not _HEADER.size <= header_size <= len(content) - start:
        raise InputError(f"invalid size of the container header: {header_size} bytes")
    first = start + header_size
    end = first + size
    if end > len(content):
        message = f"the container declares {size} bytes, but only {len(content) - first} follow"
        problems.append(problem_at(start, message))
        end = len(content)
    entries = tuple(_read_entries(content, first, end, problems))
    return Container(offset=start, size=end - start, entries=entries)


def _read_entries(
    content: Buffer, position: int, end: int, problems: list[Problem]
) -> Iterator[Entry]:
    released = position
    while position < end:
        if position - released > KEPT:  # a device link can make one container of everything
            release(content)
            released = position
        try:
            found, following, trouble = read_entry(content, position, end)
        except InputError as error:
            # Without the size of this entry, the next one cannot be found.
            problems.append(problem_at(position, str(error)))
            return
        problems.extend(problem_at(position, message) for message in trouble)
        yield from found
        position = following


def read_wrappers(content: Buffer) -> tuple[tuple[Wrapper, ...], tuple[Problem, ...]]:
    """Return the records of ``.nvFatBinSegment``, in order, and the damage found. Never raises."""
    wrappers: list[Wrapper] = []
    problems: list[Problem] = []
    position = skip_zeros(content, 0)
    while position < len(content):
        if len(content) - position < WRAPPER_SIZE:
            problems.append(problem_at(position, "the fat binary wrapper is cut off"))
            break
        magic, version, *_ = _WRAPPER.unpack_from(content, position)
        if magic == WRAPPER_MAGIC:
            wrappers.append(Wrapper(offset=position, version=version, container=position + 8))
        else:
            message = "expected a fat binary wrapper, but found a different magic number"
            problems.append(problem_at(position, message))
        # Records are aligned to 8 bytes and can be followed by padding. Their last field can be
        # zero, so the search for the next record starts at the end of this one.
        position = skip_zeros(content, position + WRAPPER_SIZE)
    return tuple(wrappers), tuple(problems)
