"""Read the two sides of a comparison."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Final

from kbuild.diff.model import ASPECTS, Aspect
from kbuild.diff.pairing import Artifact, find_counterpart, is_configure_output, list_artifacts
from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts
from kbuild.inspect import ReadOptions, find_artifacts, inspect_files
from kbuild.inspect.options import DEFAULTS

DEFAULT_CODE_LIMIT: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """The options of a comparison.

    Attributes:
        aspects: The aspects to compare.
        artifacts: Shell patterns for the relative paths of files in a directory. Empty selects
            all.
        code_limit: The maximum number of functions to disassemble.
        require_tool: Whether a disassembler that is missing or fails is an error.
        can_be_empty: Whether a side can be an empty directory.
        counts_launches: Whether the sides are runs, whose launches are compared, too.
        read: Options for reading the artifacts.
    """

    aspects: tuple[Aspect, ...] = ASPECTS
    artifacts: tuple[str, ...] = ()
    code_limit: int = DEFAULT_CODE_LIMIT
    require_tool: bool = False
    can_be_empty: bool = False
    counts_launches: bool = False
    read: ReadOptions = DEFAULTS


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """The artifacts of one side.

    ``label`` is the side's name in messages. ``unreadable`` has pairs (file, message).
    """

    label: str
    artifacts: tuple[Artifact, ...]
    unreadable: tuple[tuple[str, str], ...]

    @property
    def is_file(self) -> bool:
        """Whether the side is a single artifact, not a directory or archive."""
        return len(self.artifacts) == 1 and not self.artifacts[0].name


def read_side(path: Path, label: str, options: DiffOptions) -> Side:
    """Read all artifacts of a side.

    Args:
        path: A file or directory.
        label: The side's name in messages.
        options: The options for reading artifacts.

    Raises:
        InputError: The side is a single file that cannot be read, or does not contain an artifact.
            Unreadable files in a directory are listed in ``Side.unreadable``.
    """
    is_empty = options.can_be_empty and path.is_dir() and not any(path.iterdir())
    files = () if is_empty else _select_files(path, options.artifacts)
    needs_code = bool({"code", "abi"} & set(options.aspects))
    read: list[tuple[Path, tuple[ArtifactFacts, ...]]] = []
    unreadable: list[tuple[str, str]] = []
    for file, result in inspect_files(files, replace(options.read, code=needs_code)):
        if isinstance(result, InputError):
            if len(files) == 1:
                raise result
            unreadable.append((_name_file(path, file), str(result)))
        else:
            read.append((file, tuple(map(_drop_unused, result))))
    artifacts = list_artifacts(path, read)
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
        if not is_configure_output(name)
        and (not patterns or any(fnmatch(name, pattern) for pattern in patterns))
    )
    if not found:
        raise InputError(f"{path}: no artifact matches {' or '.join(patterns)}")
    return found


def _name_file(path: Path, file: Path) -> str:
    return file.name if file == path else str(file.relative_to(path))


def _drop_unused(facts: ArtifactFacts) -> ArtifactFacts:
    """Drop the facts that are not compared, such as the 100,000 symbols of a library."""
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


def narrow_to_counterpart(old: Side, new: Side) -> tuple[Side, Side]:
    """If one side is a single file, reduce the other to the artifact with the same name.

    Raises:
        InputError: The other side has no artifact of that name, or more than one.
    """
    if old.is_file and not new.is_file:
        return old, _keep_counterpart(old.artifacts[0], new)
    if new.is_file and not old.is_file:
        return _keep_counterpart(new.artifacts[0], old), new
    return old, new


def _keep_counterpart(single: Artifact, side: Side) -> Side:
    if len(side.artifacts) == 1:
        return side
    chosen = find_counterpart(single, side.artifacts, side.label)
    return replace(
        side,
        artifacts=(chosen,),
        unreadable=tuple(part for part in side.unreadable if part[0] == chosen.name),
    )
