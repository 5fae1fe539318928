"""Find the files that one process loads together, for rules over several files.

Plain paths of one call are loaded together. The libraries of a wheel can be alternatives, or
extension modules that do not see each other. Two of them are loaded together if a third one needs
both, if one needs the other, or if the policy says so.
"""

from __future__ import annotations

from pathlib import PurePath
from typing import Final

from kbuild.facts import ArtifactFacts
from kbuild.verify.file_set import FileSet
from kbuild.verify.glob import matches_file
from kbuild.verify.identities import ExportsOf

_WHEEL: Final = ".whl"


def group_files(
    artifacts: tuple[ArtifactFacts, ...],
    context: tuple[ArtifactFacts, ...] = (),
    loaded_together: tuple[str, ...] = (),
) -> dict[int, FileSet]:
    """Return the files that are loaded with each file, by `id`.

    Args:
        artifacts: The files of the call.
        context: The libraries that ``artifacts`` outside of wheels load.
        loaded_together: Patterns of the files in wheels that one process loads together.
    """
    wholes = {facts.path: facts for facts in artifacts if facts.wheel is not None}
    plain = tuple(f for f in artifacts if f.wheel is None and not _wheel_of(f))
    exports_of = ExportsOf()
    together = FileSet(plain, context, (*plain, *context), exports_of)
    sets = {id(facts): together for facts in (*plain, *context)}
    wheels: dict[str, list[ArtifactFacts]] = {}
    for facts in artifacts:
        if wheel := _wheel_of(facts):
            wheels.setdefault(wheel, []).append(facts)
    for members in wheels.values():
        partners = _find_partners(members, loaded_together)
        for facts in members:
            files = tuple(other for other in members if id(other) in partners[id(facts)])
            sets[id(facts)] = FileSet(files, context, tuple(members), exports_of)
    for path, whole in wholes.items():
        sets[id(whole)] = FileSet((whole,), context, tuple(wheels.get(path, ())), exports_of)
    return sets


def _find_partners(
    members: list[ArtifactFacts], loaded_together: tuple[str, ...]
) -> dict[int, set[int]]:
    """Return the members of a wheel that are loaded with each member, with itself, by `id`."""
    by_name: dict[str, list[ArtifactFacts]] = {}
    for member in members:
        by_name.setdefault(_name(member), []).append(member)
    processes = [_closure(member, by_name) for member in members]
    if loaded_together:
        processes.append({id(m) for m in members if matches_file(loaded_together, m.path)})
    partners: dict[int, set[int]] = {}
    for process in processes:
        for number in process:
            partners.setdefault(number, set()).update(process)
    return partners


def _closure(facts: ArtifactFacts, by_name: dict[str, list[ArtifactFacts]]) -> set[int]:
    """Return a member of a wheel and those that it needs, directly or indirectly, by `id`."""
    found = {id(facts)}
    rest = [facts]
    while rest:
        loader = rest.pop()
        for name in loader.dynamic.needed if loader.dynamic else ():
            member = _choose(by_name.get(name, []), loader)
            if member is not None and id(member) not in found:
                found.add(id(member))
                rest.append(member)
    return found


def _choose(libraries: list[ArtifactFacts], loader: ArtifactFacts) -> ArtifactFacts | None:
    """Return the library of this name that the file loads, or None if that is not clear."""
    directory = PurePath(loader.path).parent
    beside = [library for library in libraries if PurePath(library.path).parent == directory]
    chosen = beside or libraries
    return chosen[0] if len(chosen) == 1 else None


def _wheel_of(facts: ArtifactFacts) -> str:
    outer = facts.path.partition("!")[0]
    return outer if outer != facts.path and outer.endswith(_WHEEL) else ""


def _name(facts: ArtifactFacts) -> str:
    soname = facts.dynamic.soname if facts.dynamic else None
    return soname or PurePath(facts.path.rpartition("!")[2]).name
