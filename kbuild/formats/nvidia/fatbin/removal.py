"""Remove entries from containers of NVIDIA's fat binaries, in place.

Host code refers to a container by the address of its header, and a container says how long it
is. Therefore, the entries that stay move to the front of their container, the header declares
their size, and zeros fill the rest: no address, relocation, or symbol of the file changes.

Sources: see `kbuild.formats.nvidia.fatbin.containers`.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer
from kbuild.formats.nvidia.fatbin.containers import Container, read_containers
from kbuild.formats.nvidia.fatbin.entry import Entry

_HEADER_SIZE: Final = struct.Struct("<6xH")
_SIZE: Final = struct.Struct("<Q")
_SIZE_OFFSET: Final = 8


def remove_entries(content: Buffer, is_kept: Callable[[Entry], bool]) -> bytes:
    """Return the containers with only the entries that are kept, and with their old size.

    The members of a concatenated entry stay if one of them is kept, because they are compressed
    together.

    Raises:
        InputError: A container is damaged, so that its entries cannot be told apart.
    """
    containers, problems = read_containers(content)
    if problems:
        raise InputError(f"{problems[0].where}: {problems[0].message}")
    changed = bytearray(content)
    for container in containers:
        _remove(changed, container, is_kept)
    return bytes(changed)


def _remove(changed: bytearray, container: Container, is_kept: Callable[[Entry], bool]) -> None:
    kept = {entry.offset: entry.span for entry in container.entries if is_kept(entry)}
    if len(kept) == len({entry.offset for entry in container.entries}):
        return
    (header_size,) = _HEADER_SIZE.unpack_from(changed, container.offset)
    body = b"".join(bytes(changed[start : start + span]) for start, span in kept.items())
    first = container.offset + header_size
    end = container.offset + container.size
    _SIZE.pack_into(changed, container.offset + _SIZE_OFFSET, len(body))
    changed[first:end] = body.ljust(end - first, b"\0")
