"""Compare two paths and report the differences."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kbuild import parallel
from kbuild.diff.artifacts import Differences, Draft, compare_artifacts
from kbuild.diff.code import CodeOptions, compare_code
from kbuild.diff.inputs import DiffOptions, Side, narrow_to_counterpart, read_side
from kbuild.diff.launches import compare_launches
from kbuild.diff.model import Aspect, DiffReport, FunctionChange, Unreadable
from kbuild.diff.pairing import pair_artifacts

# Below this many bytes, a separate process costs more time than it saves memory.
_SEPARATE_BYTES: Final = 8 << 20


def compare_paths(old: Path, new: Path, options: DiffOptions) -> DiffReport:
    """Compare two files or directories.

    Raises:
        InputError: One of them cannot be read.
    """
    return compare_labeled((old, str(old)), (new, str(new)), options)


def compare_labeled(
    old: tuple[Path, str], new: tuple[Path, str], options: DiffOptions
) -> DiffReport:
    """Compare two files or directories, each given with its name in messages."""

    def compare() -> _FactsDiff:
        return _compare_facts(read_side(*old, options), read_side(*new, options))

    size = sum(path.stat().st_size for path, _ in (old, new) if path.is_file())
    is_large = size >= _SEPARATE_BYTES or any(path.is_dir() for path, _ in (old, new))
    # A separate process gives the memory of large facts back.
    report = _make_report(parallel.call_in_child(compare) if is_large else compare(), options)
    if not options.counts_launches or "code" not in options.aspects:
        return report
    return replace(report, launches=compare_launches(old[0], new[0], report.functions))


def compare_sides(old: Side, new: Side, options: DiffOptions) -> DiffReport:
    """Compare two sides that have been read."""
    return _make_report(_compare_facts(old, new), options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _FactsDiff:
    """The differences in the facts of two sides, without the facts themselves."""

    old: str
    new: str
    found: Differences
    unreadable: tuple[Unreadable, ...]


def _compare_facts(old: Side, new: Side) -> _FactsDiff:
    old, new = narrow_to_counterpart(old, new)
    found = Differences()
    for before, after in pair_artifacts(old.artifacts, new.artifacts):
        compare_artifacts(before, after, found)
    found.drafts = _merge(found.drafts)
    unreadable = _list_unreadable(old, new)
    return _FactsDiff(old=old.label, new=new.label, found=found, unreadable=unreadable)


def _make_report(facts: _FactsDiff, options: DiffOptions) -> DiffReport:
    found = facts.found
    drafts = found.drafts
    notes: dict[str, None] = {}
    if "code" in options.aspects:
        code = CodeOptions(
            limit=options.code_limit, require_tool=options.require_tool, read=options.read
        )
        functions = compare_code(drafts, code, notes)
    else:
        functions = [draft.change for draft in drafts]
    report = DiffReport(
        old=facts.old,
        new=facts.new,
        aspects=options.aspects,
        compared=found.compared,
        artifacts=tuple(found.artifacts),
        images=tuple(found.images),
        functions=tuple(functions),
        data=tuple(found.data),
        handles=tuple(found.handles),
        unreadable=facts.unreadable,
        notes=tuple(notes),
    )
    return select_aspects(report, options.aspects)


def _list_unreadable(old: Side, new: Side) -> tuple[Unreadable, ...]:
    return (
        *(Unreadable(side="old", file=f, message=m) for f, m in old.unreadable),
        *(Unreadable(side="new", file=f, message=m) for f, m in new.unreadable),
    )


def _merge(drafts: Iterable[Draft]) -> list[Draft]:
    """Merge the same change in several files, because a build directory has many copies."""
    merged: dict[object, Draft] = {}
    for draft in drafts:
        key = (replace(draft.change, files=()), draft.codes)
        known = merged.get(key)
        if known is None:
            merged[key] = draft
        elif draft.change.files[0] not in known.change.files:
            files = (*known.change.files, *draft.change.files)
            merged[key] = replace(known, change=replace(known.change, files=files))
    return list(merged.values())


def select_aspects(report: DiffReport, aspects: Sequence[Aspect]) -> DiffReport:
    """Reduce the report to the given aspects, and drop the changes that become empty."""

    def keep(name: Aspect) -> bool:
        return name in aspects

    functions = tuple(
        chosen
        for function in report.functions
        if _is_relevant(chosen := _select_function(function, keep), keep)
    )
    images = tuple(
        replace(
            image,
            sizes=image.sizes if keep("size") else (),
            code=image.code if keep("code") else (),
        )
        for image in report.images
    )
    return replace(
        report,
        functions=functions,
        images=tuple(
            image
            for image in images
            if image.sizes or image.code or (image.status != "changed" and keep("abi"))
        ),
        artifacts=report.artifacts if keep("abi") else (),
        handles=report.handles if keep("abi") else (),
        data=report.data if keep("code") else (),
    )


def _select_function(function: FunctionChange, keep: Callable[[Aspect], bool]) -> FunctionChange:
    return replace(
        function,
        breaks=function.breaks if keep("abi") else (),
        params=function.params if keep("abi") else (),
        abi=function.abi if keep("abi") else (),
        resources=function.resources if keep("resources") else (),
        sizes=function.sizes if keep("size") else (),
        code=function.code if keep("code") else None,
    )


def _is_relevant(function: FunctionChange, keep: Callable[[Aspect], bool]) -> bool:
    if function.status != "changed":
        # The existence of a kernel is part of the ABI; that of another function is code.
        if keep("abi" if function.is_kernel else "code"):
            return True
        if function.status in ("added", "removed"):
            return False
    return bool(
        function.params or function.abi or function.resources or function.sizes or function.code
    )
