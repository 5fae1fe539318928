"""The tables of reading: sections, images and files, host code, what devices can take."""

from __future__ import annotations

from typing import Final

from kbuild.backends.cpu import code as cpu_code
from kbuild.backends.cpu import host as cpu_host
from kbuild.backends.cpu import read as cpu_reader
from kbuild.backends.cuda import code as cuda_code
from kbuild.backends.cuda import host as cuda_host
from kbuild.backends.cuda import limits as cuda_limits
from kbuild.backends.cuda import read as cuda_reader
from kbuild.backends.hip import code as hip_code
from kbuild.backends.hip import host as hip_host
from kbuild.backends.hip import limits as hip_limits
from kbuild.backends.hip import read as hip_reader
from kbuild.backends.interface.code import CodeReader
from kbuild.backends.interface.host import HostConventions
from kbuild.backends.interface.limits import DeviceLimits
from kbuild.backends.interface.read import ImageReader
from kbuild.backends.offload import read as offload_reader

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
