"""The files of one call: which kernels of the others a file can refer to by name.

Paths that one call names count as loaded together; the members of an archive, as linked
together.  How far a name reaches is the linker's rule, not kbuild's:

* a local symbol (a static kernel's) reaches nobody,
* any other in an object file reaches the other objects, a hidden one nobody else,
* in a linked file, what the dynamic symbol table exports reaches everybody.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath

from kbuild.facts import ArtifactFacts, HandleFacts, Place, Reference, Symbol


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """A kernel's handle, or with ``is_stub`` its debug stub, in the file that defines it.

    ``symbol`` is None where a stripped file has no name for it.
    """

    file: ArtifactFacts
    handle: HandleFacts
    symbol: Symbol | None
    place: Place
    is_stub: bool
    is_exported: bool

    @property
    def is_linkable(self) -> bool:
        """Whether other objects of one link can refer to it by name."""
        is_global = self.symbol is not None and self.symbol.binding != "local"
        return is_global and self.file.kind == "object"


class FileSet:
    """The facts of all files of a call, and the kernels in them by name and by place.

    ``context`` are files that the others load and that nobody asked about.
    """

    def __init__(
        self, files: tuple[ArtifactFacts, ...], context: tuple[ArtifactFacts, ...] = ()
    ) -> None:
        self.judged = files
        self.files = (*files, *context)

    @cached_property
    def has_handles(self) -> bool:
        """Whether any of the files holds a kernel's handle."""
        return any(handle.is_found for facts in self.files for handle in facts.handles)

    def named(self, name: str, user: ArtifactFacts) -> tuple[Identity, ...]:
        """What ``user`` may get from the other files when it asks for ``name``."""
        return tuple(
            identity
            for identity in self._by_name.get(name, ())
            if identity.file is not user and (identity.is_exported or user.kind == "object")
        )

    def meant_by(self, reference: Reference, user: ArtifactFacts) -> Identity | None:
        """The handle or stub that a reference of ``user`` leads to, if it is to one."""
        if reference.target is not None:
            return self._by_place.get((id(user), reference.target))
        return next(iter(self.named(reference.symbol, user)), None)

    def others(self, facts: ArtifactFacts) -> tuple[ArtifactFacts, ...]:
        """The files of the call but this one."""
        return tuple(other for other in self.files if other is not facts)

    def before(self, facts: ArtifactFacts) -> tuple[ArtifactFacts, ...]:
        """Those in front of this one, and those not judged: so that each pair is judged once."""
        position = next(n for n, other in enumerate(self.judged) if other is facts)
        return (*self.judged[:position], *self.files[len(self.judged) :])

    def find_library(self, soname: str | None) -> ArtifactFacts | None:
        """The file that others load by this name."""
        return self._libraries.get(soname) if soname else None

    @cached_property
    def _libraries(self) -> dict[str, ArtifactFacts]:
        return {
            (facts.dynamic.soname or PurePath(facts.path.rpartition("!")[2]).name): facts
            for facts in self.files
            if facts.kind == "shared-object" and facts.dynamic is not None
        }

    def archives_with_kernels(self) -> dict[str, tuple[ArtifactFacts, ...]]:
        """The members with kernel targets of each archive of the call, by its path."""
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
        # The facts are as large as the file's symbol table: not to be hashed.
        return {(id(identity.file), identity.place): identity for identity in self._identities}


def identities_of(facts: ArtifactFacts) -> tuple[Identity, ...]:
    """The handles and stubs that a file defines, without handles that are functions.

    Those are KB302's, and calling one is no jump into data.
    """
    if not facts.handles:
        return ()
    exported = _exported_names(facts)
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


def _exported_names(facts: ArtifactFacts) -> frozenset[str]:
    """The names that the other files of a process can bind to."""
    return frozenset(
        symbol.name
        for symbol in facts.symbols
        if symbol.place is not None
        and symbol.binding != "local"
        and symbol.visibility in ("default", "protected")
        and (symbol.dynamic or facts.kind == "object")
    )
