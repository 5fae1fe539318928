"""Options for kernels whose tests are not about the headers of CUDA or HIP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from support.tools.amd_tools import SMALL_HEADERS
from support.tools.nvidia_compiler import SMALL_CUDA_HEADERS

# Device options by backend. nvcc needs only the first of its options for device code.
SMALL_DEVICE_HEADERS: Final[Mapping[str, tuple[str, ...]]] = {
    "cpu": (),
    "cuda": SMALL_CUDA_HEADERS[:1],
    "hip": SMALL_HEADERS,
}


def set_device_headers(backend: str) -> str:
    """Return the cache definition of a CMake project with these options."""
    return f"KBUILD_DEVICE_FLAGS={' '.join(SMALL_DEVICE_HEADERS[backend])}"
