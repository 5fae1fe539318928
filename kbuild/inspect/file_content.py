"""The bytes of a file: small files are read, large files are mapped into memory."""

from __future__ import annotations

import mmap
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.formats.buffer import Buffer, release
from kbuild.formats.image_text import read_text

# If a mapped file shrinks while it is read, the process dies. Only large files are mapped,
# because those are unlikely to be rebuilt at that moment.
_MAPPED: Final = 16 << 20
_CHUNK: Final = 1 << 20


def open_content(path: Path) -> Buffer:
    """Return the bytes of a regular file, or the device image that the file is as text.

    Raises:
        InputError: The path is not a regular file, cannot be read, or is damaged text.
    """
    # Reading a device or a pipe might never end.
    if path.exists() and not path.is_file():
        raise InputError(f"{path}: not a file or directory")
    try:
        with path.open("rb") as stream:
            if path.stat().st_size < _MAPPED:
                content = stream.read()
                return read_text(content) or content
            return memoryview(mmap.mmap(stream.fileno(), 0, prot=mmap.PROT_READ))
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"{path}: {reason}") from error


def hash_content(content: Buffer) -> str:
    """Return the SHA-256 digest of ``content`` as hexadecimal digits."""
    import hashlib  # noqa: PLC0415 - loads OpenSSL, which a summary does not need

    digest = hashlib.sha256()
    view = memoryview(content)
    for start in range(0, len(view), _CHUNK):
        digest.update(view[start : start + _CHUNK])
        if start % (_CHUNK << 3) == 0:
            release(view)
    release(view)
    return digest.hexdigest()
