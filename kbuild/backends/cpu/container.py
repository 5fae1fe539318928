"""The container of CPU images: one LLVM offload binary per image.

An image ends with a checksum, because the dynamic loader trusts files; see
``native/cpu/images/checksum.hpp``.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Final

from kbuild.formats.offload import binary as offload_binary

_OBJECT_KIND: Final = 1
_CHECKSUM: Final = b"KBUILDCK"
_X86_TRIPLE: Final = "x86_64-unknown-linux-gnu"
_TRIPLES: Final = {"aarch64": "aarch64-unknown-linux-gnu"}


def write_container(images: Iterable[tuple[str, str, bytes]]) -> bytes:
    """Write a container of (architecture, SHA-256, bytes) in the given order."""
    return offload_binary.write(
        (
            _OBJECT_KIND,
            (("triple", _TRIPLES.get(arch, _X86_TRIPLE)), ("arch", arch), ("sha256", sha256)),
            data,
        )
        for arch, sha256, data in images
    )


def make_checksum(content: bytes) -> bytes:
    """Return the bytes that follow an image."""
    return _CHECKSUM + zlib.crc32(content).to_bytes(4, "little")
