"""The device images that a launch record holds."""

from __future__ import annotations

from kbuild.backends import BACKENDS, find_backend
from kbuild.backends.interface.read import StoredImage
from kbuild.errors import InputError, did_you_mean
from kbuild.formats.buffer import Buffer
from kbuild.formats.compression import DEFAULT_LIMIT
from kbuild.model import Problem
from kbuild.runtime.launch_records.model import CapturedImage, LaunchRecord


def read_images(record: LaunchRecord) -> tuple[CapturedImage, ...]:
    """Return the device images of the kernel, decompressing those in its fat binary.

    Raises:
        InputError: The fat binary is damaged, or the backend is unknown.
    """
    if record.code.fat_binary is None:
        return record.code.images
    reader = find_backend(record.backend).read
    if reader is None:
        raise InputError(
            f"unknown backend {record.backend!r}{did_you_mean(record.backend, BACKENDS)}"
        )
    content = record.code.fat_binary
    listing = reader.list_images(content, "")
    for problem in listing.problems:
        raise InputError(f"fat binary of {record.kernel.display}: {problem.message}")
    loaded = reader.load_images(listing.images, content, DEFAULT_LIMIT)
    return (*(_unpack(image, data) for image, data in loaded), *record.code.images)


def _unpack(image: StoredImage, data: Buffer | Problem) -> CapturedImage:
    message = image.problem or (data.message if isinstance(data, Problem) else None)
    if message is not None or isinstance(data, Problem):
        raise InputError(f"the image for {image.arch}: {message}")
    return CapturedImage(arch=image.arch, kind=image.kind, content=data)
