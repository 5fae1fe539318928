"""The rows of a target's tables, and the symbols through which its stub unit refers to them."""

from __future__ import annotations

from kbuild.model import KernelRecord
from kbuild.stages.stubs.variables import VariableTable
from kbuild.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolTables:
    """The kernels and variables of a target.

    If the objects of mixed sources define handles and shadows, ``handles`` and ``shadows`` are the
    symbols through which the stub unit refers to each of them, and ``stubs`` the names that it
    gives the debug stubs. They are empty if the stub unit defines everything itself.
    """

    kernels: tuple[KernelRecord, ...]
    variables: VariableTable
    handles: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()


def select_container(tables: SymbolTables, index: int) -> SymbolTables:
    """Return the rows of one container, as those of a unit with no other container."""
    variables = tables.variables
    kernels = [n for n, row in enumerate(tables.kernels) if row.container == index]
    rows = [n for n, row in enumerate(variables.rows) if row.container == index]
    return SymbolTables(
        kernels=tuple(replace(tables.kernels[n], container=0) for n in kernels),
        variables=replace(
            variables,
            rows=tuple(replace(variables.rows[n], container=0) for n in rows),
            initials=tuple(variables.initials[n] for n in rows),
        ),
        handles=tuple(tables.handles[n] for n in kernels),
        stubs=tuple(tables.stubs[n] for n in kernels),
        shadows=tuple(tables.shadows[n] for n in rows),
    )
