"""Reject systems on which kbuild cannot build."""

from __future__ import annotations

import os

from kbuild.errors import ToolchainError


def read_libc() -> str | None:
    """Return the name and version of glibc, or None if the system has another C library."""
    try:
        return os.confstr("CS_GNU_LIBC_VERSION")
    except (OSError, ValueError):
        return None


def check_libc(libc: str | None) -> None:
    """Reject a system without glibc.

    Raises:
        ToolchainError: ``libc`` is None.
    """
    if libc is None:
        raise ToolchainError(
            "the C library is not glibc (Alpine Linux has musl), and kbuild's runtimes need glibc; "
            "build in an image with glibc, such as debian or manylinux; kbuild inspect, verify, "
            "and diff work here, too"
        )
