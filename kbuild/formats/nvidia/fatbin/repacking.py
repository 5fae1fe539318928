"""Write containers of NVIDIA's fat binaries again with fewer or more entries.

Host code refers to a container by the address of its header, and a container says how long it
is. Entries refer to nothing outside of themselves. Therefore, the entries that stay can move to
the front of their container, and an entry of one container can follow those of another.

Sources: see `kbuild.formats.nvidia.fatbin.containers`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.nvidia.fatbin.containers import Container, read_containers
from kbuild.formats.nvidia.fatbin.entry import Entry

_HEADER_SIZE: Final = struct.Struct("<6xH")
_SIZE: Final = struct.Struct("<Q")
_SIZE_OFFSET: Final = 8


def remove_entries(content: Buffer, is_kept: Callable[[Entry], bool]) -> tuple[Buffer, ...]:
    """Return the parts of a container with only the entries that are kept.

    The members of a concatenated entry stay if one of them is kept, because they are compressed
    together.

    Raises:
        InputError: The container is damaged, so that its entries cannot be told apart.
    """
    return _pack(
        content,
        [stored for entries, stored in _list_entries(content) if any(map(is_kept, entries))],
    )


def join_containers(contents: Sequence[Buffer]) -> tuple[Buffer, ...]:
    """Return the parts of one container with the entries of several, each of them once.

    Raises:
        InputError: A container is damaged, or two have different entries for one architecture.
    """
    known: dict[tuple[str, str], set[Buffer]] = {}
    parts: list[Buffer] = []
    for content in contents:
        own: dict[tuple[str, str], set[Buffer]] = {}
        for entries, stored in _list_entries(content):
            added = [e for e in entries if stored not in known.get((e.kind, e.arch), ())]
            if any((e.kind, e.arch) in known for e in added):
                arch = next(e.arch for e in added if (e.kind, e.arch) in known)
                raise InputError(f"two different images for {arch}")
            if added:
                parts.append(stored)
            for entry in entries:
                own.setdefault((entry.kind, entry.arch), set()).add(stored)
        for key, found in own.items():
            known.setdefault(key, set()).update(found)
    return _pack(contents[0], parts)


def _pack(old: Buffer, entries: Sequence[Buffer]) -> tuple[Buffer, ...]:
    """Return the parts of a container with the header of an old one."""
    (container, *_) = _read(old)
    (size,) = _HEADER_SIZE.unpack_from(old, container.offset)
    header = bytearray(old[container.offset : container.offset + size])
    _SIZE.pack_into(header, _SIZE_OFFSET, sum(map(len, entries)))
    return (bytes(header), *entries)


def _read(content: Buffer) -> tuple[Container, ...]:
    containers, problems = read_containers(content)
    if problems:
        raise InputError(f"{problems[0].where}: {problems[0].message}")
    return containers


def _list_entries(content: Buffer) -> Iterator[tuple[list[Entry], Buffer]]:
    """Yield the images of each entry, which are several if they are compressed together."""
    together: dict[int, list[Entry]] = {}
    for container in _read(content):
        for entry in container.entries:
            together.setdefault(entry.offset, []).append(entry)
    for offset, entries in together.items():
        yield entries, content[offset : offset + entries[0].span]
