"""Pair the artifacts of two sides by their paths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts

# The parts of file names that give a version or platform: of wheels and their directories, of
# Python extensions, and of shared objects. Also the hashes that auditwheel adds to names.
_NOISE: Final = (
    (re.compile(r"(?<=[\w.])-\d[\w.!+]*(?:-[\w.]+)*(?=\.whl(?:!|$))"), ""),
    (re.compile(r"-\d[\w.!+]*(?=\.(?:dist-info|data)/)"), ""),
    (re.compile(r"\.(?:cpython-\w+(?:-[\w-]+)?|abi3|pypy\w+-[\w-]+)(?=\.so\b)"), ""),
    (re.compile(r"-[0-9a-f]{8}(?=[-.\d]*\.so\b)"), ""),
    (re.compile(r"(?<=\.so)(?:\.\d+)+(?=!|$)"), ""),
    (re.compile(r"(?<=\w)-\d+(?:\.\d+)+(?=\.so\b)"), ""),
)
_MAX_NAMES: Final = 5
_CONFIGURE_OUTPUT: Final = re.compile(
    r"(?:^|/)CMakeFiles/(?:\d[\d.\w-]*|CMakeScratch|CMakeTmp|_CMakeLTOTest-\w+|ShowIncludes)/"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """An artifact of one side.

    ``file`` contains the artifact. ``name`` is its path relative to the path of the side, and is
    empty if it is the side. ``occurrence`` counts the artifacts with the same path before it.
    """

    file: Path
    name: str
    facts: ArtifactFacts
    occurrence: int


def list_artifacts(
    root: Path, read: Iterable[tuple[Path, tuple[ArtifactFacts, ...]]]
) -> list[Artifact]:
    """Return the artifacts of a side with their relative names."""
    found: list[Artifact] = []
    for file, artifacts in read:
        seen: Counter[str] = Counter()
        for facts in artifacts:
            name = facts.path[len(str(file)) :].removeprefix("!")
            if file != root:
                outer = str(file.relative_to(root))
                name = f"{outer}!{name}" if name else outer
            found.append(Artifact(file=file, name=name, facts=facts, occurrence=seen[facts.path]))
            seen[facts.path] += 1
    return found


def is_configure_output(path: str) -> bool:
    """Return whether CMake made the file during configuration, to examine compilers."""
    return _CONFIGURE_OUTPUT.search(path) is not None


def pair_artifacts(
    old: Sequence[Artifact], new: Sequence[Artifact]
) -> list[tuple[Artifact | None, Artifact | None]]:
    """Pair the artifacts of the same path, then those whose paths differ only in versions.

    If each side is a single artifact, the two are paired even if their names differ. The remaining
    artifacts are paired with None.
    """
    if len(old) == len(new) == 1:
        return [(old[0], new[0])]
    partners: dict[int, int] = {}
    for key in (lambda name: name, remove_versions):
        _match(old, new, key, partners)
    back = {j: i for i, j in partners.items()}
    pairs: list[tuple[Artifact | None, Artifact | None]] = [
        (one, new[partners[i]] if i in partners else None) for i, one in enumerate(old)
    ]
    return pairs + [(None, one) for j, one in enumerate(new) if j not in back]


def find_counterpart(single: Artifact, others: Sequence[Artifact], place: str) -> Artifact:
    """Return the artifact of ``others`` that has the file name of ``single``.

    If none has, return the one whose name differs only in versions.

    Args:
        single: The artifact that is compared.
        others: The artifacts of the other side.
        place: The name of the other side in messages.

    Raises:
        InputError: No artifact, or more than one, has the name.
    """
    expected = single.file.name
    named: list[Artifact] = []
    for key in (str, remove_versions):
        named = [one for one in others if key(_file_name(one)) == key(expected)]
        if named:
            break
    if len(named) == 1:
        return named[0]
    shown = ", ".join(one.name for one in (named or others)[:_MAX_NAMES])
    more = len(named or others) - _MAX_NAMES
    shown += f" and {more} more" if more > 0 else ""
    count = f"{len(named)} artifacts" if named else "no artifact"
    raise InputError(
        f"{place}: found {count} named {expected!r} to compare with {single.file}; "
        f"extract and give one of its artifacts ({shown}), or use --artifacts"
    )


def _file_name(artifact: Artifact) -> str:
    return artifact.name.replace("!", "/").rpartition("/")[2]


def _match(
    old: Sequence[Artifact],
    new: Sequence[Artifact],
    key: Callable[[str], str],
    partners: dict[int, int],
) -> None:
    taken = set(partners.values())
    left = _by_key(old, key, set(partners))
    right = _by_key(new, key, taken)
    for name, numbers in left.items():
        others = right.get(name, [])
        # Archive members of one name are paired in order.
        if len(numbers) == len(others):
            partners.update(zip(numbers, others, strict=True))


def _by_key(
    artifacts: Sequence[Artifact], key: Callable[[str], str], taken: set[int]
) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for number, artifact in enumerate(artifacts):
        if number not in taken:
            found.setdefault(key(artifact.name), []).append(number)
    return found


def remove_versions(name: str) -> str:
    """Return the path without versions and platforms."""
    for pattern, text in _NOISE:
        name = pattern.sub(text, name)
    return name
