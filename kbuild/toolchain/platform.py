"""Reject systems on which kbuild can neither build nor run kernels."""

from __future__ import annotations

import os
import sys
from typing import Final

from kbuild.errors import ToolchainError

# cmake/KbuildCheckPlatform.cmake says the same.
_SUPPORTED: Final = "64-bit Linux with glibc on x86-64 or AArch64"


def read_libc() -> str | None:
    """Return the name and version of glibc, or None if the system has another C library."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (AttributeError, OSError, ValueError):  # Windows does not have the function
        return None


def check_system(system: str = sys.platform) -> None:
    """Reject a system other than Linux, where no command of kbuild runs.

    Raises:
        ToolchainError: kbuild does not run on the system.
    """
    if system != "linux":
        raise ToolchainError(
            f"kbuild does not run on {system}; it needs {_SUPPORTED}, for example in WSL 2 on "
            "Windows, or in a container on macOS"
        )


def check_platform(system: str = sys.platform, largest: int = sys.maxsize) -> None:
    """Reject a system on which kbuild can neither build nor run kernels.

    Args:
        system: The name of the system, as in `sys.platform`.
        largest: The largest size of a container, as in `sys.maxsize`.

    Raises:
        ToolchainError: kbuild does not support the system.
    """
    check_system(system)
    if largest < 1 << 32:
        raise ToolchainError(f"this Python is a 32-bit program, and kbuild needs {_SUPPORTED}")
    if read_libc() is None:
        raise ToolchainError(
            "the C library is not glibc (Alpine Linux has musl), and kbuild's runtimes need "
            f"{_SUPPORTED}; build in an image with glibc, such as debian or manylinux; kbuild "
            "inspect, verify, and diff work here, too"
        )
