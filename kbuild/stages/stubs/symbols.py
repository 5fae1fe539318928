"""The rows of a target's tables, and the symbols through which its stub unit refers to them."""

from __future__ import annotations

from kbuild.model import KernelRecord
from kbuild.stages.stubs.variables import VariableTable
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SymbolTables:
    """The kernels and variables of a target.

    If the objects of mixed sources define handles and shadows, ``handles`` and ``shadows`` are the
    symbols through which the stub unit refers to each of them, and ``stubs`` the names that it
    gives the debug stubs. They are empty if the stub unit defines everything itself.

    The first ``own_kernels`` rows are kernels of the target's own sources. The others are those of
    static libraries. None means that all rows are the target's own.
    """

    kernels: tuple[KernelRecord, ...]
    variables: VariableTable
    handles: tuple[str, ...] = ()
    stubs: tuple[str, ...] = ()
    shadows: tuple[str, ...] = ()
    own_kernels: int | None = None
