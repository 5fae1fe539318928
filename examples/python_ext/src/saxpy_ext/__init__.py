"""Compute y = a * x + y with a kernel that this package contains."""

from saxpy_ext._saxpy import saxpy

__all__ = ["saxpy"]
