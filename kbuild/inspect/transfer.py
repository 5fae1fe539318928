"""Kernels on their way from one process to another.

A library has tens of thousands of them; pickled as any other dataclass, field by field in
Python, they would cost more time than the second process saves.
"""

from __future__ import annotations

import copyreg
from collections.abc import Callable
from operator import attrgetter
from typing import Any, Final

from kbuild.model import Kernel, Resources

_FIELDS: Final = tuple(Resources.__dataclass_fields__)
_READ: Final = attrgetter(*_FIELDS)


def _reduce_kernel(kernel: Kernel) -> tuple[Callable[..., Kernel], tuple[Any, ...]]:
    names = (kernel.name, kernel.display, kernel.linkage, kernel.params)
    return _restore_kernel, (*names, *_READ(kernel.resources))


def _restore_kernel(name: str, display: str, linkage: Any, params: Any, *figures: Any) -> Kernel:
    return Kernel(
        name=name,
        display=display,
        linkage=linkage,
        params=params,
        resources=Resources(**dict(zip(_FIELDS, figures, strict=True))),
    )


def register() -> None:
    """Make pickle send kernels so."""
    copyreg.pickle(Kernel, _reduce_kernel)
