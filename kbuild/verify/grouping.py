"""Which files one process loads together: what the rules over several files look at.

Plain paths of one call are loaded together.  The libraries of a wheel may be alternatives,
or extension modules that do not see each other: only what one of them needs is loaded with
it.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.file_set import FileSet

_WHEEL: Final = ".whl"


def group_files(
    artifacts: tuple[ArtifactFacts, ...], context: tuple[ArtifactFacts, ...] = ()
) -> dict[int, FileSet]:
    """The files that are loaded with each of ``artifacts``, by `id`.

    ``context`` are files that are loaded too and not judged.
    """
    plain = tuple(facts for facts in artifacts if not _wheel_of(facts))
    together = FileSet(plain, context)
    sets = {id(facts): together for facts in plain}
    for facts in artifacts:
        wheel = _wheel_of(facts)
        if wheel:
            members = [other for other in artifacts if _wheel_of(other) == wheel]
            needed = _needed_members(facts, members)
            sets[id(facts)] = FileSet((*needed, facts), context)
    return sets


def _wheel_of(facts: ArtifactFacts) -> str:
    outer = facts.path.partition("!")[0]
    return outer if outer != facts.path and outer.endswith(_WHEEL) else ""


def _needed_members(
    facts: ArtifactFacts, members: list[ArtifactFacts]
) -> tuple[ArtifactFacts, ...]:
    """What the file needs of its wheel, directly and through others."""
    by_name = {_name(member): member for member in members}
    found: dict[str, ArtifactFacts] = {}
    rest = [facts]
    while rest:
        dynamic = rest.pop().dynamic
        for name in dynamic.needed if dynamic else ():
            member = by_name.get(name)
            if member is not None and member is not facts and name not in found:
                found[name] = member
                rest.append(member)
    return tuple(found.values())


def _name(facts: ArtifactFacts) -> str:
    soname = facts.dynamic.soname if facts.dynamic else None
    return soname or PurePath(facts.path.rpartition("!")[2]).name
