"""Two paths to a report of what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from kbuild import parallel
from kbuild.diff.artifacts import Draft, Findings, compare_artifacts
from kbuild.diff.code import CodeOptions, compare_code
from kbuild.diff.inputs import DiffOptions, Side, narrow, read_side
from kbuild.diff.model import Aspect, DiffReport, FunctionChange, Unreadable
from kbuild.diff.pairing import pair

# A process of its own pays from here on, in bytes.
_APART: Final = 8 << 20


def compare_paths(old: Path, new: Path, options: DiffOptions) -> DiffReport:
    """The report on two files or directories; InputError where one cannot be read."""
    return _conclude(_survey_apart((old, str(old)), (new, str(new)), options), options)


def compare_folders(
    old: tuple[Path, str], new: tuple[Path, str], options: DiffOptions
) -> DiffReport:
    """The report on two directories, each with what it is called in messages."""
    return _conclude(_survey_apart(old, new, options), options)


def _survey_apart(old: tuple[Path, str], new: tuple[Path, str], options: DiffOptions) -> _Survey:
    """What differs in the facts; large ones are gone with the process that read them."""

    def survey() -> _Survey:
        return _survey(read_side(*old, options), read_side(*new, options))

    size = sum(path.stat().st_size for path, _ in (old, new) if path.is_file())
    is_large = size >= _APART or any(path.is_dir() for path, _ in (old, new))
    return parallel.call_apart(survey) if is_large else survey()


def compare_sides(old: Side, new: Side, options: DiffOptions) -> DiffReport:
    """The report on what was read of both sides."""
    return _conclude(_survey(old, new), options)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Survey:
    """All that differs in the facts, which are not needed any more."""

    old: str
    new: str
    found: Findings
    unreadable: tuple[Unreadable, ...]


def _survey(old: Side, new: Side) -> _Survey:
    old, new = narrow(old, new)
    found = Findings()
    for before, after in pair(old.artifacts, new.artifacts):
        compare_artifacts(before, after, found)
    found.drafts = _merge(found.drafts)
    unreadable = _list_unreadable(old, new)
    return _Survey(old=old.label, new=new.label, found=found, unreadable=unreadable)


def _conclude(survey: _Survey, options: DiffOptions) -> DiffReport:
    found = survey.found
    drafts = found.drafts
    notes: dict[str, None] = {}
    if "code" in options.aspects:
        code = CodeOptions(
            limit=options.code_limit, demands_tool=options.demands_tool, read=options.read
        )
        functions = compare_code(drafts, code, notes)
    else:
        functions = [draft.change for draft in drafts]
    report = DiffReport(
        old=survey.old,
        new=survey.new,
        aspects=options.aspects,
        compared=found.compared,
        artifacts=tuple(found.artifacts),
        images=tuple(found.images),
        functions=tuple(functions),
        data=tuple(found.data),
        handles=tuple(found.handles),
        unreadable=survey.unreadable,
        notes=tuple(notes),
    )
    return select_aspects(report, options.aspects)


def _list_unreadable(old: Side, new: Side) -> tuple[Unreadable, ...]:
    return (
        *(Unreadable(side="old", file=f, message=m) for f, m in old.unreadable),
        *(Unreadable(side="new", file=f, message=m) for f, m in new.unreadable),
    )


def _merge(drafts: Iterable[Draft]) -> list[Draft]:
    """One draft for the same change in several files: a build folder has many copies."""
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
    """The report without what was not asked for, and without changes that leaves empty."""

    def keep(name: Aspect) -> bool:
        return name in aspects

    functions = tuple(
        chosen
        for function in report.functions
        if _says_something(chosen := _select_function(function, keep), keep)
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


def _says_something(function: FunctionChange, keep: Callable[[Aspect], bool]) -> bool:
    if function.status != "changed":
        # That it is there at all is the kernel's interface, and a function's code.
        if keep("abi" if function.is_kernel else "code"):
            return True
        if function.status in ("added", "removed"):
            return False
    return bool(
        function.params or function.abi or function.resources or function.sizes or function.code
    )
