"""The device images that a launch record holds."""

from __future__ import annotations

from kbuild.runtime.fat_binary import unpack_fat_binary
from kbuild.runtime.launch_records.model import CapturedImage, LaunchRecord


def read_images(record: LaunchRecord) -> tuple[CapturedImage, ...]:
    """Return the device images of the kernel, decompressing those in its fat binary.

    Raises:
        InputError: The fat binary is damaged, or the backend is unknown.
    """
    if record.code.fat_binary is None:
        return record.code.images
    unpacked = unpack_fat_binary(
        record.backend, record.code.fat_binary, f"fat binary of {record.kernel.display}"
    )
    captured = (CapturedImage(arch=i.arch, kind=i.kind, content=data) for i, data in unpacked)
    return (*captured, *record.code.images)
