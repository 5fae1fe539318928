"""y = a * x + y by a kernel that is part of this package."""

from saxpy_ext._saxpy import saxpy

__all__ = ["saxpy"]
