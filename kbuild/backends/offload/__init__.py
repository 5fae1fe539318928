"""Offload binaries that LLVM's drivers embed. kbuild reads them and does not build them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # the type checker compares each module with its protocol
    from kbuild.backends.interface.read import ImageReader
    from kbuild.backends.offload import read

    _READ: ImageReader = read
