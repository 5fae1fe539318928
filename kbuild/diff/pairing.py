"""Which artifact of one side is which of the other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.facts import ArtifactFacts

# What names of files say of versions and platforms: of wheels and their folders, of Python's
# extensions, of shared objects, and the hashes that auditwheel puts into names.
_NOISE: Final = (
    (re.compile(r"(?<=[\w.])-\d[\w.!+]*(?:-[\w.]+)*(?=\.whl(?:!|$))"), ""),
    (re.compile(r"-\d[\w.!+]*(?=\.(?:dist-info|data)/)"), ""),
    (re.compile(r"\.(?:cpython-\w+(?:-[\w-]+)?|abi3|pypy\w+-[\w-]+)(?=\.so\b)"), ""),
    (re.compile(r"-[0-9a-f]{8}(?=[-.\d]*\.so\b)"), ""),
    (re.compile(r"(?<=\.so)(?:\.\d+)+(?=!|$)"), ""),
    (re.compile(r"(?<=\w)-\d+(?:\.\d+)+(?=\.so\b)"), ""),
)
_MOST_NAMES: Final = 5
_SCRATCH: Final = re.compile(
    r"(?:^|/)CMakeFiles/(?:\d[\d.\w-]*|CMakeScratch|CMakeTmp|_CMakeLTOTest-\w+|ShowIncludes)/"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """An artifact on a side: ``file`` holds it, ``name`` is its path without the side's own.

    ``occurrence`` counts the artifacts of this path before it.
    """

    file: Path
    name: str
    facts: ArtifactFacts
    occurrence: int


def locate(root: Path, read: Iterable[tuple[Path, tuple[ArtifactFacts, ...]]]) -> list[Artifact]:
    """The artifacts of a side that have device code, or should have."""
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


def is_scratch(path: str) -> bool:
    """Whether CMake made the file while it configured, to find out about compilers."""
    return _SCRATCH.search(path) is not None


def pair(
    old: Sequence[Artifact], new: Sequence[Artifact]
) -> list[tuple[Artifact | None, Artifact | None]]:
    """The artifacts of one path, else of one path but for versions; the rest has no partner.

    Where each side is one artifact, those are compared whatever they are called.
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


def find_partner(single: Artifact, others: Sequence[Artifact], place: str) -> Artifact:
    """The one artifact of ``others``, which are in ``place``, that has the file name of ``single``.

    Else the one that has it but for versions; InputError where there is none, or are several.
    """
    wanted = single.file.name
    named: list[Artifact] = []
    for key in (str, remove_versions):
        named = [one for one in others if key(_file_name(one)) == key(wanted)]
        if named:
            break
    if len(named) == 1:
        return named[0]
    shown = ", ".join(one.name for one in (named or others)[:_MOST_NAMES])
    more = len(named or others) - _MOST_NAMES
    shown += f" and {more} more" if more > 0 else ""
    count = f"{len(named)} artifacts" if named else "no artifact"
    raise InputError(
        f"{place} holds {count} called {wanted}, to compare with {single.file}; "
        f"give one of its artifacts instead ({shown}), out of its archive, or --artifacts"
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
        # Members of one name in an archive have an order; files do not.
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
    """The path without what says which version or platform it is of."""
    for pattern, text in _NOISE:
        name = pattern.sub(text, name)
    return name
