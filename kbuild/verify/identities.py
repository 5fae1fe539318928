"""The identities that the files of one process share, for files of any build tool.

An identity is the symbol whose address stands for a kernel or for a device variable.
"""

from __future__ import annotations

from collections.abc import Iterable

from kbuild.facts import ArtifactFacts, HandleFacts, Pointer, Symbol
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedIdentity:
    """A symbol that stands for a kernel or device variable and that other files can bind to.

    ``registered`` is the pointer to it in the kernel table, and ``is_own`` tells whether there is
    such a table. ``is_alias`` tells whether the name can be an alias that kbuild makes of something
    local to a mixed source. The table then has its address, however the file is linked.
    ``is_instance`` tells whether it is an explicit instance of a kernel template.
    """

    symbol: Symbol
    backend: str
    registered: Pointer | None
    is_own: bool
    is_alias: bool = False
    is_instance: bool = False

    @property
    def is_data(self) -> bool:
        """Return whether a program that is not position-independent can have a copy of it."""
        return self.symbol.type != "function"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exports:
    """The identities of kernels and of device variables that a file exports, by name."""

    kernels: dict[str, ExportedIdentity]
    variables: dict[str, ExportedIdentity]


class ExportsOf:
    """The exports of files. Each file is read once, because its symbol table can be large."""

    def __init__(self) -> None:
        # The facts are kept, so that no other file gets the same id.
        self._known: dict[int, tuple[ArtifactFacts, Exports]] = {}

    def __call__(self, facts: ArtifactFacts) -> Exports:
        """Return the identities in this file that other files can bind to."""
        known = self._known.get(id(facts))
        if known is None:
            known = self._known[id(facts)] = (facts, _find_exports(facts))
        return known[1]


def _find_exports(facts: ArtifactFacts) -> Exports:
    has_any = facts.handles or facts.host_kernels or facts.shadows
    names = exported_names(facts) if has_any else frozenset()
    backends = {row.handle: m.record.backend for m in facts.modules for row in m.record.kernels}
    aliases = {
        row.shadow for m in facts.modules if m.record.has_host_texts for row in m.record.variables
    }
    own = {
        handle.symbol.name: ExportedIdentity(
            symbol=handle.symbol,
            backend=backends[handle.kernel],
            registered=handle.registered,
            is_own=True,
            is_alias=handle.row.linkage == "internal",
            is_instance=handle.has_code and handle.symbol.binding == "global",
        )
        for handle in facts.handles
        if handle.symbol and handle.symbol.name in names and handle.kernel in backends
    }
    foreign = {
        kernel.symbol.name: ExportedIdentity(
            symbol=kernel.symbol, backend=kernel.backend, registered=None, is_own=False
        )
        for kernel in facts.host_kernels
        if kernel.symbol and kernel.symbol.name in names
    }
    variables = {
        shadow.symbol.name: ExportedIdentity(
            symbol=shadow.symbol,
            backend=shadow.backend,
            registered=shadow.registered,
            is_own=shadow.is_own,
            is_alias=shadow.symbol.name in aliases,
        )
        for shadow in facts.shadows
        if shadow.symbol.name in names
    }
    return Exports(kernels=own | foreign, variables=variables)


def exported_names(facts: ArtifactFacts) -> frozenset[str]:
    """Return the names that the other files of a process can bind to."""
    return frozenset(
        symbol.name
        for symbol in facts.symbols
        if symbol.place is not None
        and symbol.binding != "local"
        and symbol.visibility in ("default", "protected")
        and (symbol.dynamic or facts.kind == "object")
    )


def binds_to_itself(facts: ArtifactFacts, identity: ExportedIdentity) -> bool:
    """Return whether the file uses its own identity even if another file interposes it."""
    if identity.symbol.visibility == "protected":
        return True
    if facts.kind == "object":
        return False
    # The registered pointer decides; linker options only show what it should be.
    registered = identity.registered
    if registered is not None and registered.place is not None and not registered.interposable:
        return True
    return is_symbolic(facts)


def is_symbolic(facts: ArtifactFacts) -> bool:
    """Return whether the file is linked with ``-Bsymbolic``."""
    return facts.dynamic is not None and facts.dynamic.is_symbolic


def undefined_names(facts: ArtifactFacts) -> frozenset[str]:
    """Return the names that other files must define."""
    return frozenset(s.name for s in facts.symbols if s.place is None and s.binding != "local")


def copied_names(facts: ArtifactFacts) -> frozenset[str]:
    """Return the variables of other files that the dynamic linker copies into this one."""
    return frozenset(reference.symbol for reference in facts.references if reference.kind == "copy")


def names_of(handles: Iterable[HandleFacts]) -> frozenset[str]:
    """Return the symbols of kbuild's own handles."""
    return frozenset(handle.kernel for handle in handles)
