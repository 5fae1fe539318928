"""Pickle kernels quickly, to send them from one process to another.

A library has hundreds of thousands of kernels. Pickle handles an ordinary dataclass field by field
in Python, which would take more time than the second process saves. Equal parts of kernels, such
as the name that the images for several architectures contain, become one object again.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable
from functools import lru_cache
from operator import attrgetter
from typing import Any, Final, TypeAlias

from kbuild.model import Kernel, Param, Resources

_Row: TypeAlias = tuple[Any, ...]

_FIELDS: Final = tuple(Resources.__dataclass_fields__)
_READ: Final = attrgetter(*_FIELDS)
_PARAM_FIELDS: Final = tuple(Param.__dataclass_fields__)
_READ_PARAM: Final = attrgetter(*_PARAM_FIELDS)
# The images of one source share the parameters of their kernels, so each tuple is converted
# once. The keys are addresses; the keyed object is kept alive so that its address stays unique.
_MAX_REMEMBERED: Final = 1 << 14
_rows: dict[int, tuple[tuple[Param, ...], tuple[_Row, ...]]] = {}
_values: dict[int, tuple[tuple[_Row, ...], tuple[Param, ...]]] = {}


def register() -> None:
    """Make pickle use this encoding for kernels."""
    copyreg.pickle(Kernel, _reduce_kernel)


def _reduce_kernel(kernel: Kernel) -> tuple[Callable[..., Kernel], _Row]:
    params = kernel.params
    known = _rows.get(id(params))
    if known is None:
        known = _remember(_rows, params, tuple(map(_READ_PARAM, params)))
    names = (kernel.name, kernel.display, kernel.linkage, known[1])
    return _restore_kernel, (*names, *_READ(kernel.resources))


def _restore_kernel(
    name: str, display: str, linkage: Any, rows: tuple[_Row, ...], *figures: Any
) -> Kernel:
    known = _values.get(id(rows))
    if known is None:
        known = _remember(_values, rows, _restore_params(rows))
    return Kernel(
        name=sys.intern(name),
        display=sys.intern(display),
        linkage=linkage,
        params=known[1],
        resources=_restore_resources(figures),
    )


@lru_cache(maxsize=1 << 14)
def _restore_params(rows: tuple[_Row, ...]) -> tuple[Param, ...]:
    return tuple(Param(**dict(zip(_PARAM_FIELDS, row, strict=True))) for row in rows)


@lru_cache(maxsize=1 << 16)
def _restore_resources(figures: _Row) -> Resources:
    return Resources(**dict(zip(_FIELDS, figures, strict=True)))


def _remember(known: dict[int, tuple[Any, Any]], key: Any, value: Any) -> tuple[Any, Any]:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[id(key)] = (key, value)
    return key, value
