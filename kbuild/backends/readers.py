"""The tables of reading: who reads which section, image and file, and what host code does."""

from __future__ import annotations

from typing import Final

from kbuild.backends import (
    cpu_host,
    cpu_reader,
    cuda_host,
    cuda_reader,
    hip_host,
    hip_reader,
    offload_reader,
)
from kbuild.backends.host_conventions import HostConventions
from kbuild.backends.reader import ImageReader

# The first one that knows a file has it.
READERS: Final[dict[str, ImageReader]] = {
    reader.NAME: reader for reader in (cpu_reader, cuda_reader, hip_reader, offload_reader)
}

# There is one where the images cannot be read, too: the host side is the same file.
HOST_CONVENTIONS: Final[dict[str, HostConventions]] = {
    "cpu": cpu_host.CONVENTIONS,
    "cuda": cuda_host.CONVENTIONS,
    "hip": hip_host.CONVENTIONS,
}
