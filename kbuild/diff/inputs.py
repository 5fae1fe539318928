"""A side of a comparison: what is read of a path, and what of it is compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from kbuild.diff.model import ASPECTS, Aspect
from kbuild.diff.pairing import Artifact, find_partner, is_scratch, locate
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

    @property
    def is_file(self) -> bool:
        """Whether it is one artifact, not a folder or an archive of some."""
        return len(self.artifacts) == 1 and not self.artifacts[0].name


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


def narrow(old: Side, new: Side) -> tuple[Side, Side]:
    """Both sides, of a folder or archive the one artifact that the single file opposite is.

    InputError where it holds none of that name, or several.
    """
    if old.is_file and not new.is_file:
        return old, _keep_partner(old.artifacts[0], new)
    if new.is_file and not old.is_file:
        return _keep_partner(new.artifacts[0], old), new
    return old, new


def _keep_partner(single: Artifact, side: Side) -> Side:
    if len(side.artifacts) == 1:
        return side
    chosen = find_partner(single, side.artifacts, side.label)
    return replace(
        side,
        artifacts=(chosen,),
        unreadable=tuple(part for part in side.unreadable if part[0] == chosen.name),
    )
