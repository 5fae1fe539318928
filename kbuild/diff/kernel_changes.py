"""Describe how two matched functions differ, without their code."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Final, get_args

from kbuild.diff.matching import Entry, Group, Match
from kbuild.diff.model import FieldChange, FunctionChange, ParamChange, Status
from kbuild.model import Kernel, LoggedFigure, Param, Resources

_ABI: Final = frozenset({"required_block"})
_SIZES: Final = frozenset({"code_bytes"})
# Only kbuild's notes contain these figures of CUDA kernels. If one file has none, nothing changed.
_LOGGED: Final = frozenset({"spill_bytes", *get_args(LoggedFigure)})
_RESOURCES: Final = tuple(
    field.name for field in fields(Resources) if field.name not in _ABI | _SIZES
)


def describe_change(match: Match, group: Group, file: str) -> FunctionChange:
    """Return the change between two matched functions, without the change of their code."""
    old, new = match.old, match.new
    kernel_old = old.kernel if old else None
    kernel_new = new.kernel if new else None
    params = tuple(_compare_params(kernel_old, kernel_new)) if old and new else ()
    abi = tuple(_compare_abi(kernel_old, kernel_new))
    status = _find_status(match)
    return FunctionChange(
        status=status,
        backend=group.backend,
        arch=group.arch,
        kind=group.kind,
        is_kernel=bool(kernel_old or kernel_new),
        old_name=old.name if old else None,
        new_name=new.name if new else None,
        old_display=old.display if old else None,
        new_display=new.display if new else None,
        breaks=tuple(_find_breaks(status, match, params, abi)),
        params=params,
        abi=abi,
        resources=tuple(_compare_resources(kernel_old, kernel_new, _RESOURCES)),
        sizes=(
            *_compare_resources(kernel_old, kernel_new, tuple(_SIZES)),
            *_compare_copies(match),
        ),
        files=(file,),
    )


def is_identical(old: Entry, new: Entry) -> bool:
    """Return whether two functions of one name are the same; most are."""
    a, b = old.kernel, new.kernel
    return (
        old.digest == new.digest
        and old.context == new.context
        and (a is b or (a is not None and b is not None and _is_same_kernel(a, b)))
    )


def _is_same_kernel(old: Kernel, new: Kernel) -> bool:
    return (
        old.resources == new.resources
        and old.linkage == new.linkage
        and (old.params == new.params or not any(True for _ in _compare_params(old, new)))
    )


def _find_status(match: Match) -> Status:
    if match.old is None:
        return "added"
    if match.new is None:
        return "removed"
    return "changed" if match.kind == "same" else match.kind


def _compare_params(old: Kernel | None, new: Kernel | None) -> Iterator[ParamChange]:
    before, after = old.params if old else (), new.params if new else ()
    for index in range(max(len(before), len(after))):
        a = before[index] if index < len(before) else None
        b = after[index] if index < len(after) else None
        if a is None or b is None or _differs(a, b):
            yield ParamChange(index=index, old=a, new=b)


def _differs(old: Param, new: Param) -> bool:
    if (old.offset, old.size) != (new.offset, new.size):
        return True
    # An unknown type is not a change.
    return any(
        a is not None and b is not None and a != b
        for a, b in ((old.type, new.type), (old.kind, new.kind))
    )


def _compare_abi(old: Kernel | None, new: Kernel | None) -> Iterator[FieldChange]:
    if old and new:
        yield from _compare_resources(old, new, tuple(_ABI))
        if old.linkage != new.linkage:
            yield FieldChange(field="linkage", old=old.linkage, new=new.linkage)


def _compare_resources(
    old: Kernel | None, new: Kernel | None, names: tuple[str, ...]
) -> Iterator[FieldChange]:
    if old is None or new is None or old.resources == new.resources:
        return
    for name in names:
        a, b = getattr(old.resources, name), getattr(new.resources, name)
        is_known = name not in _LOGGED or (a is not None and b is not None)
        if a != b and is_known:
            yield FieldChange(field=name, old=a, new=b)


def _compare_copies(match: Match) -> Iterator[FieldChange]:
    if match.copies:
        yield FieldChange(field="copies", old=match.copies[0], new=match.copies[1])


def _find_breaks(
    status: Status,
    match: Match,
    params: tuple[ParamChange, ...],
    abi: tuple[FieldChange, ...],
) -> Iterator[str]:
    """Yield the problems of host code that was built against the old side."""
    entry = match.old
    if entry is None or entry.kernel is None:
        return
    # No other file can refer to an internal kernel.
    is_internal = entry.kernel.linkage == "internal"
    if status == "removed" and not is_internal:
        yield "the kernel was removed"
    if status == "renamed" and not is_internal:
        yield "its symbol changed"
    if status == "signature":
        yield "its signature changed, and therefore its symbol"
    if params:
        yield _describe_params(params)
    for change in abi:
        if change.field == "required_block" and change.new is not None:
            yield f"it can only be launched with blocks of {_spell(change.new)}"
        if change.field == "linkage" and change.new == "internal":
            yield "other files can no longer refer to it"


def _describe_params(params: tuple[ParamChange, ...]) -> str:
    old = sum(p.new is None for p in params)
    new = sum(p.old is None for p in params)
    if old or new:
        return f"parameters: {old} fewer" if old else f"parameters: {new} more"
    numbers = ", ".join(str(p.index) for p in params)
    return f"the layout or type of parameter {numbers} changed"


def _spell(value: object) -> str:
    return "x".join(map(str, value)) if isinstance(value, tuple) else str(value)
