"""Pickle kernels quickly, to send them from one process to another.

A library has hundreds of thousands of kernels. Pickle handles an ordinary dataclass field by field
in Python, which would take more time than the second process saves. Equal parts of kernels, such
as the name that the images for several architectures contain, become one object again.
"""

from __future__ import annotations

import copyreg
import sys
from collections.abc import Callable
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
_MAX_RESOURCES: Final = 1 << 17
_rows: dict[int, tuple[tuple[Param, ...], tuple[_Row, ...]]] = {}
_values: dict[int, tuple[tuple[_Row, ...], tuple[Param, ...]]] = {}
_resources: dict[_Row, Resources] = {}


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
        values = tuple(Param(**dict(zip(_PARAM_FIELDS, row, strict=True))) for row in rows)
        known = _remember(_values, rows, values)
    return Kernel(
        name=sys.intern(name),
        display=sys.intern(display),
        linkage=linkage,
        params=known[1],
        resources=_resources.get(figures) or _remember_resources(figures),
    )


def _remember_resources(figures: _Row) -> Resources:
    if len(_resources) >= _MAX_RESOURCES:
        _resources.clear()
    value = _resources[figures] = Resources(**dict(zip(_FIELDS, figures, strict=True)))
    return value


def _remember(known: dict[int, tuple[Any, Any]], key: Any, value: Any) -> tuple[Any, Any]:
    if len(known) >= _MAX_REMEMBERED:
        known.clear()
    known[id(key)] = (key, value)
    return key, value
