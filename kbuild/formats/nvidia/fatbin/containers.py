"""NVIDIA's fat binaries: the containers of ``.nv_fatbin``, ``__nv_relfatbin`` and ``.fatbin``.

A container is a header and then entries, one device image each, or several compressed
together.  What is stored is read here without decompressing; see
:mod:`kbuild.formats.nvidia.fatbin.payload` for the images themselves.

Sources: the magic numbers and section names are those of ``fatbinary_section.h`` in the
CUDA toolkit.  The layouts of containers and entries are not documented; they were found
by toggling one option of ``nvcc`` and ``fatbinary`` at a time (toolkits 11.8 to 13.4) and
checked against what ``cuobjdump`` shows.  All numbers are little-endian.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, skip_zeros
from kbuild.formats.nvidia.fatbin.entry import Entry, read_entry
from kbuild.model import Problem

MAGIC: Final = b"\x50\xed\x55\xba"
VERSION: Final = 1
ALIGNMENT: Final = 8
SECTIONS: Final = (".nv_fatbin", "__nv_relfatbin")

WRAPPER_SECTION: Final = ".nvFatBinSegment"
WRAPPER_MAGIC: Final = 0x466243B1
WRAPPER_SIZE: Final = 24

# magic, version, header size, bytes that follow
_HEADER: Final = struct.Struct("<4sHHQ")
# magic, version, container, file name or prelinked containers
_WRAPPER: Final = struct.Struct("<IIQQ")
# Nothing but magic numbers would come to a hundred times its size.
_MOST_PROBLEMS: Final = 10_000
_NEXT_MAGIC: Final = re.compile(re.escape(MAGIC))


@dataclass(frozen=True, slots=True, kw_only=True)
class Container:
    """One container; ``offset`` and those of its entries count from the content's start.

    ``size`` includes the header and ends with the content where that is cut off.  In
    whole-program mode there is one container a translation unit.
    """

    offset: int
    size: int
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrapper:
    """One record of ``.nvFatBinSegment``, as it lies in the file.

    ``version`` is 1, or 2 for what the device linker made.  ``container`` is the offset in
    the section of the slot that points to the container: follow it through relocations,
    the bytes in place may be zero.
    """

    offset: int
    version: int
    container: int


def read_containers(content: Buffer) -> tuple[tuple[Container, ...], tuple[Problem, ...]]:
    """Every container in ``content``, in order, and what could not be made sense of.

    Never raises: after a broken container, reading goes on at the next magic number.  A
    problem's offset is that of the container or entry it is about.
    """
    containers: list[Container] = []
    problems: list[Problem] = []
    position = skip_zeros(content, 0)
    while position < len(content):
        container = _read_container(content, position, problems)
        if container:
            containers.append(container)
            position = skip_zeros(content, container.offset + container.size)
        else:
            following = _NEXT_MAGIC.search(content, position + 1)
            position = following.start() if following else len(content)
            if len(problems) > _MOST_PROBLEMS:
                problems.append(_problem(position, "too much of it is damaged: not read on"))
                break
    return tuple(containers), tuple(problems)


def _read_container(content: Buffer, start: int, problems: list[Problem]) -> Container | None:
    """The container at ``start``; None where nothing tells how long it is."""
    size, header_size, message = 0, 0, None
    if content[start : start + len(MAGIC)] != MAGIC:
        message = "no fat binary container starts here (bad magic number)"
    elif len(content) - start < _HEADER.size:
        message = "the container is cut off in its header"
    else:
        _, version, header_size, size = _HEADER.unpack_from(content, start)
        if version != VERSION:
            message = f"container version {version} is not supported, only {VERSION}"
        elif not _HEADER.size <= header_size <= len(content) - start:
            message = f"a container header of {header_size} bytes does not fit"
    if message:
        problems.append(_problem(start, message))
        return None
    first = start + header_size
    end = first + size
    if end > len(content):
        message = f"the container says {size} bytes, {len(content) - first} are there"
        problems.append(_problem(start, message))
        end = len(content)
    entries = tuple(_read_entries(content, first, end, problems))
    return Container(offset=start, size=end - start, entries=entries)


def _read_entries(
    content: Buffer, position: int, end: int, problems: list[Problem]
) -> Iterator[Entry]:
    while position < end:
        try:
            found, following, trouble = read_entry(content, position, end)
        except InputError as error:
            # Its size is unknown, so the container has no further entries to be found.
            problems.append(_problem(position, str(error)))
            return
        problems.extend(_problem(position, message) for message in trouble)
        yield from found
        position = following


def read_wrappers(content: Buffer) -> tuple[tuple[Wrapper, ...], tuple[Problem, ...]]:
    """The records of ``.nvFatBinSegment``, in order, and what is none.  Never raises."""
    wrappers: list[Wrapper] = []
    problems: list[Problem] = []
    position = skip_zeros(content, 0)
    while position < len(content):
        if len(content) - position < WRAPPER_SIZE:
            problems.append(_problem(position, "the fat binary wrapper is cut off"))
            break
        magic, version, *_ = _WRAPPER.unpack_from(content, position)
        if magic == WRAPPER_MAGIC:
            wrappers.append(Wrapper(offset=position, version=version, container=position + 8))
        else:
            message = "no fat binary wrapper is here (bad magic number)"
            problems.append(_problem(position, message))
        # Records are 8-aligned and may be padded; their last field may hold zeros, so only
        # the end of a record is a place to look for the next one.
        position = skip_zeros(content, position + WRAPPER_SIZE)
    return tuple(wrappers), tuple(problems)


def _problem(offset: int, message: str) -> Problem:
    return Problem(where=f"byte {offset:#x}", message=message, offset=offset)
