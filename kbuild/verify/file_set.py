"""The files of one call, and the kernels of other files that each file can refer to by name.

Paths that one call names count as loaded together, and the members of an archive as linked
together. The linker's rules decide which files can refer to a name:

* No other file can refer to a local symbol, such as that of a static kernel.
* Other objects can refer to any other symbol of an object file. A hidden symbol is visible
  only to them.
* Every file can refer to what the dynamic symbol table of a linked file exports.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import PurePath

from kbuild.facts import ArtifactFacts, HandleFacts, Place, Reference, Symbol
from kbuild.values import dataclass
from kbuild.verify.identities import ExportsOf, copied_names, exported_names, undefined_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A kernel's handle, or with ``is_stub`` its debug stub, in the file that defines it.

    ``symbol`` is None if a stripped file has no name for it.
    """

    file: ArtifactFacts
    handle: HandleFacts
    symbol: Symbol | None
    place: Place
    is_stub: bool
    is_exported: bool

    @property
    def is_linkable(self) -> bool:
        """Return whether other objects of the same link can refer to it by name."""
        is_global = self.symbol is not None and self.symbol.binding != "local"
        return is_global and self.file.kind == "object"


class FileSet:
    """The facts of all files of a call, and the kernels in them by name and by place.

    ``context`` are files that the others load. ``artifact`` are the files that are delivered
    together, such as all of a wheel. ``exports_of`` can be shared between sets.
    """

    def __init__(
        self,
        files: tuple[ArtifactFacts, ...],
        context: tuple[ArtifactFacts, ...] = (),
        artifact: tuple[ArtifactFacts, ...] = (),
        exports_of: ExportsOf | None = None,
    ) -> None:
        self.judged = files
        self.files = (*files, *context)
        self.artifact = artifact
        self.exports_of = exports_of or ExportsOf()

    @cached_property
    def has_handles(self) -> bool:
        """Return whether any of the files contains the handle of a kernel."""
        return any(handle.is_found for facts in self.files for handle in facts.handles)

    @cached_property
    def names_used(self) -> frozenset[str]:
        """The names that files take from others, including copies of variables."""
        return frozenset().union(
            *(undefined_names(facts) | copied_names(facts) for facts in self.files)
        )

    def named(self, name: str, user: ArtifactFacts) -> tuple[Identity, ...]:
        """Return the identities in other files that ``user`` can bind to by this name."""
        return tuple(
            identity
            for identity in self._by_name.get(name, ())
            if identity.file is not user and (identity.is_exported or user.kind == "object")
        )

    def find_kernel(self, reference: Reference, user: ArtifactFacts) -> Identity | None:
        """Return the handle or stub that a reference of ``user`` leads to, or None."""
        if reference.target is not None:
            return self._by_place.get((id(user), reference.target))
        return next(iter(self.named(reference.symbol, user)), None)

    def others(self, facts: ArtifactFacts) -> tuple[ArtifactFacts, ...]:
        """Return the files of the call without this one."""
        return tuple(other for other in self.files if other is not facts)

    def before(self, facts: ArtifactFacts) -> tuple[ArtifactFacts, ...]:
        """Return the files to compare with this one, so that each pair is judged once.

        A pair with a file of the context is judged with the other file.
        """
        position = next(n for n, other in enumerate(self.files) if other is facts)
        first_loaded = len(self.judged)
        if position < first_loaded:
            return (*self.files[:position], *self.files[first_loaded:])
        return self.files[first_loaded:position]

    def find_library(self, soname: str | None) -> ArtifactFacts | None:
        """Return the file that others load by this name, or None."""
        return self._libraries.get(soname) if soname else None

    @cached_property
    def _libraries(self) -> dict[str, ArtifactFacts]:
        return {
            (facts.dynamic.soname or PurePath(facts.path.rpartition("!")[2]).name): facts
            for facts in self.files
            if facts.kind == "shared-object" and facts.dynamic is not None
        }

    def archives_with_kernels(self) -> dict[str, tuple[ArtifactFacts, ...]]:
        """Return the members with kernel targets of each archive, by the path of the archive."""
        found: dict[str, list[ArtifactFacts]] = {}
        for facts in self.files:
            archive, _, member = facts.path.rpartition("!")
            if archive and member and facts.kind == "object" and facts.modules:
                found.setdefault(archive, []).append(facts)
        return {archive: tuple(members) for archive, members in found.items()}

    @cached_property
    def _identities(self) -> tuple[Identity, ...]:
        return tuple(identity for facts in self.files for identity in identities_of(facts))

    @cached_property
    def _by_name(self) -> dict[str, list[Identity]]:
        found: dict[str, list[Identity]] = {}
        for identity in self._identities:
            if identity.symbol is not None and (identity.is_exported or identity.is_linkable):
                found.setdefault(identity.symbol.name, []).append(identity)
        return found

    @cached_property
    def _by_place(self) -> dict[tuple[int, Place], Identity]:
        # Facts are as large as the file's symbol table, so hashing them would be slow.
        return {(id(identity.file), identity.place): identity for identity in self._identities}


def identities_of(facts: ArtifactFacts) -> tuple[Identity, ...]:
    """Return the handles and stubs that a file defines, without handles that are functions.

    KB302 reports those, and a call of one does not jump into data.
    """
    if not facts.handles:
        return ()
    exported = exported_names(facts)
    return tuple(
        Identity(
            file=facts,
            handle=handle,
            symbol=symbol,
            place=place,
            is_stub=is_stub,
            is_exported=symbol is not None
            and symbol.binding != "local"
            and symbol.name in exported,
        )
        for handle in facts.handles
        for symbol, place, is_stub in (
            (handle.symbol, None if handle.is_function else handle.place, False),
            (handle.stub, handle.stub.place if handle.stub else None, True),
        )
        if place is not None
    )
