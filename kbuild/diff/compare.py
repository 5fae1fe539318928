"""Two paths to a report of what differs between them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from kbuild.diff.artifacts import Draft, Findings, compare_artifacts
from kbuild.diff.code import CodeOptions, compare_code
from kbuild.diff.model import ASPECTS, Aspect, DiffReport, FunctionChange, Unreadable
from kbuild.diff.pairing import Artifact, is_scratch, locate, pair
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import ReadOptions, find_artifacts, inspect_files
from kbuild.inspect.options import DEFAULTS

DEFAULT_CODE_LIMIT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """``aspects`` are what to compare; ``artifacts`` shell patterns of files below a folder."""

    aspects: tuple[Aspect, ...] = ASPECTS
    artifacts: tuple[str, ...] = ()
    code_limit: int = DEFAULT_CODE_LIMIT
    demands_tool: bool = False
    read: ReadOptions = DEFAULTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What was read of one side; ``label`` is what the user calls it."""

    label: str
    artifacts: tuple[Artifact, ...]
    unreadable: tuple[tuple[str, str], ...]


def compare_paths(old: Path, new: Path, options: DiffOptions) -> DiffReport:
    """The report on two files, or two directories; InputError where one cannot be read."""
    if old.is_dir() != new.is_dir() and old.exists() and new.exists():
        folder, file = (old, new) if old.is_dir() else (new, old)
        raise InputError(f"{folder} is a directory and {file} is not: they cannot be compared")
    return _conclude(_survey_paths(old, new, options), options)


def _survey_paths(old: Path, new: Path, options: DiffOptions) -> _Survey:
    return _survey(read_side(old, str(old), options), read_side(new, str(new), options))


def read_side(path: Path, label: str, options: DiffOptions) -> Side:
    """Read all artifacts of a side; a file that cannot be read is an error where it is alone."""
    files = _select_files(path, options.artifacts)
    wants_code = bool({"code", "abi"} & set(options.aspects))
    read: list[tuple[Path, tuple[ArtifactFacts, ...]]] = []
    unreadable: list[tuple[str, str]] = []
    for file, result in inspect_files(files, replace(options.read, code=wants_code)):
        if isinstance(result, InputError):
            if len(files) == 1:
                raise result
            unreadable.append((_name(path, file), str(result)))
        else:
            read.append((file, tuple(map(_shed, result))))
    artifacts = locate(path, read)
    for artifact in artifacts:
        unreadable += _list_problems(artifact)
    return Side(
        label=label,
        artifacts=tuple(a for a in artifacts if a.facts.kind != "other"),
        unreadable=tuple(unreadable),
    )


def _select_files(path: Path, patterns: tuple[str, ...]) -> tuple[Path, ...]:
    if not path.is_dir():
        return (path,)
    names = [(file, str(file.relative_to(path))) for file in find_artifacts(path)]
    found = tuple(
        file
        for file, name in names
        if not is_scratch(name)
        and (not patterns or any(fnmatch(name, pattern) for pattern in patterns))
    )
    if not found:
        raise InputError(f"{path}: no artifact that matches {' or '.join(patterns)}")
    return found


def _name(path: Path, file: Path) -> str:
    return file.name if file == path else str(file.relative_to(path))


def _shed(facts: ArtifactFacts) -> ArtifactFacts:
    """The facts that are compared; libraries have a hundred thousand symbols besides."""
    return replace(facts, sections=(), segments=(), symbols=(), references=(), dynamic=None)


def _list_problems(artifact: Artifact) -> list[tuple[str, str]]:
    name = artifact.name or artifact.file.name
    problems = [*artifact.facts.problems, *artifact.facts.note_problems]
    return [
        *((name, f"{problem.where}: {problem.message}") for problem in problems),
        *(
            (name, f"container {image.container}, {image.arch}: {image.problem}")
            for image in artifact.facts.images
            if image.problem
        ),
    ]


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
    found = Findings()
    for before, after in pair(old.artifacts, new.artifacts):
        compare_artifacts(before, after, found)
    unreadable = _list_unreadable(old, new)
    return _Survey(old=old.label, new=new.label, found=found, unreadable=unreadable)


def _conclude(survey: _Survey, options: DiffOptions) -> DiffReport:
    found = survey.found
    drafts = _merge(found.drafts)
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
