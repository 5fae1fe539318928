"""The table of readers: who reads which section, image and file of device code."""

from __future__ import annotations

from typing import Final

from kbuild.backends import cpu_reader, cuda_reader, hip_reader, offload_reader
from kbuild.backends.reader import ImageReader

# The first one that knows a file has it.
READERS: Final[dict[str, ImageReader]] = {
    reader.NAME: reader for reader in (cpu_reader, cuda_reader, hip_reader, offload_reader)
}
