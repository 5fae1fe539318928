"""The kernel identities that the files of one process share, for files of any build tool."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from kbuild.facts import ArtifactFacts, HandleFacts, Symbol
from kbuild.verify.file_set import exported_names


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedIdentity:
    """A symbol that stands for a kernel and that other files can bind to."""

    symbol: Symbol
    backend: str


def exported_identities(facts: ArtifactFacts) -> dict[str, ExportedIdentity]:
    """Return the identities that a linked file exports, by name."""
    dynamic = exported_names(facts)
    backends = {row.handle: m.record.backend for m in facts.modules for row in m.record.kernels}
    found = {
        handle.symbol.name: ExportedIdentity(symbol=handle.symbol, backend=backends[handle.kernel])
        for handle in facts.handles
        if handle.symbol and handle.symbol.name in dynamic and handle.kernel in backends
    }
    for kernel in facts.host_kernels:
        if kernel.symbol and kernel.symbol.name in dynamic:
            found[kernel.symbol.name] = ExportedIdentity(
                symbol=kernel.symbol, backend=kernel.backend
            )
    return found


def exported_variables(facts: ArtifactFacts) -> dict[str, str]:
    """Return the readable names of the exported device variables, by symbol."""
    rows = [row for module in facts.modules for row in module.record.variables]
    dynamic = exported_names(facts) if rows else frozenset()
    return {row.shadow: row.display for row in rows if row.shadow in dynamic}


def undefined_names(facts: ArtifactFacts) -> frozenset[str]:
    """Return the names that other files must define."""
    return frozenset(s.name for s in facts.symbols if s.place is None and s.binding != "local")


def names_of(handles: Iterable[HandleFacts]) -> frozenset[str]:
    """Return the symbols of kbuild's own handles."""
    return frozenset(handle.kernel for handle in handles)
