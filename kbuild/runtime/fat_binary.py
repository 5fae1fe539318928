"""The device images in a fat binary, in memory."""

from __future__ import annotations

from kbuild.backends import BACKENDS, find_backend
from kbuild.backends.interface.read import ImageReader, StoredImage
from kbuild.errors import InputError, did_you_mean
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT
from kbuild.model import Problem


def find_reader(backend: str) -> ImageReader:
    """Return the reader of a backend.

    Raises:
        InputError: The backend is unknown.
    """
    reader = find_backend(backend).read
    if reader is None:
        raise InputError(f"unknown backend {backend!r}{did_you_mean(backend, BACKENDS)}")
    return reader


def unpack_fat_binary(
    backend: str, content: Buffer, what: str
) -> tuple[tuple[StoredImage, Buffer], ...]:
    """Return the images of a fat binary with their bytes, which are decompressed.

    Args:
        backend: The backend.
        content: The fat binary.
        what: The name of the fat binary in messages.

    Raises:
        InputError: The fat binary is damaged, or the backend is unknown.
    """
    reader = find_reader(backend)
    listing = reader.list_images(content, "")
    for problem in listing.problems:
        raise InputError(f"{what}: {problem.message}")
    loaded = reader.load_images(listing.images, content, DEFAULT_LIMIT)
    return tuple((image, _require_bytes(image, data)) for image, data in loaded)


def _require_bytes(image: StoredImage, data: Buffer | Problem) -> Buffer:
    message = image.problem or (data.message if isinstance(data, Problem) else None)
    if message is not None or isinstance(data, Problem):
        raise InputError(f"the image for {image.arch}: {message}")
    return data
