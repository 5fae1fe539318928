"""Systems without glibc."""

from __future__ import annotations

import pytest

from kbuild.errors import ToolchainError
from kbuild.toolchain.platform import check_libc, read_libc


def test_this_system_has_glibc() -> None:
    libc = read_libc()

    assert libc is not None
    assert libc.startswith("glibc ")
    check_libc(libc)


def test_system_without_glibc_is_an_error_with_an_alternative() -> None:
    with pytest.raises(ToolchainError, match=r"musl.*build in an image with glibc"):
        check_libc(None)
