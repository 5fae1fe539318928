"""The tables of reading: sections, images and files, host code, what devices can take."""

from __future__ import annotations

from typing import Final

from kbuild.backends import (
    cpu_code,
    cpu_host,
    cpu_reader,
    cuda_code,
    cuda_host,
    cuda_limits,
    cuda_reader,
    hip_code,
    hip_host,
    hip_limits,
    hip_reader,
    offload_reader,
)
from kbuild.backends.code import CodeReader
from kbuild.backends.device_limits import DeviceLimits
from kbuild.backends.host_conventions import HostConventions
from kbuild.backends.reader import ImageReader

# The first one that knows a file has it.
READERS: Final[dict[str, ImageReader]] = {
    reader.NAME: reader for reader in (cpu_reader, cuda_reader, hip_reader, offload_reader)
}

# By the backend that an image is for.
CODE_READERS: Final[dict[str, CodeReader]] = {
    "cpu": cpu_code,
    "cuda": cuda_code,
    "hip": hip_code,
}

# There is one where the images cannot be read, too: the host side is the same file.
HOST_CONVENTIONS: Final[dict[str, HostConventions]] = {
    "cpu": cpu_host.CONVENTIONS,
    "cuda": cuda_host.CONVENTIONS,
    "hip": hip_host.CONVENTIONS,
}

# By the backend that an image is for; of others nothing is known.
_DEVICE_LIMITS: Final[dict[str, DeviceLimits]] = {
    "cuda": cuda_limits.LIMITS,
    "hip": hip_limits.LIMITS,
}
_NO_LIMITS: Final = DeviceLimits()


def device_limits(backend: str) -> DeviceLimits:
    """What the devices and drivers that an image of ``backend`` is for can take."""
    return _DEVICE_LIMITS.get(backend, _NO_LIMITS)
