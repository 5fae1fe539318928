"""Finds the files that one process loads together, for rules over several files.

Plain paths of one call are loaded together. The libraries of a wheel can be alternatives, or
extension modules that do not see each other. Only the libraries that one of them needs are
loaded with it.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.identities import ExportsOf

_WHEEL: Final = ".whl"


def group_files(
    artifacts: tuple[ArtifactFacts, ...], context: tuple[ArtifactFacts, ...] = ()
) -> dict[int, FileSet]:
    """Return the files that are loaded with each file, by `id`.

    ``context`` are the libraries that ``artifacts`` outside of wheels load.
    """
    plain = tuple(facts for facts in artifacts if not _wheel_of(facts))
    exports_of = ExportsOf()
    together = FileSet(plain, context, (*plain, *context), exports_of)
    sets = {id(facts): together for facts in (*plain, *context)}
    for facts in artifacts:
        wheel = _wheel_of(facts)
        if wheel:
            members = tuple(other for other in artifacts if _wheel_of(other) == wheel)
            needed = _needed_members(facts, members)
            sets[id(facts)] = FileSet((*needed, facts), context, members, exports_of)
    return sets


def _wheel_of(facts: ArtifactFacts) -> str:
    outer = facts.path.partition("!")[0]
    return outer if outer != facts.path and outer.endswith(_WHEEL) else ""


def _needed_members(
    facts: ArtifactFacts, members: tuple[ArtifactFacts, ...]
) -> tuple[ArtifactFacts, ...]:
    """Return the members of the wheel that the file needs, directly or indirectly."""
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
