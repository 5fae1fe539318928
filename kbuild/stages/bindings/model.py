"""What every language declares of a target: kernels with readable names and typed parameters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kbuild.facts.parameter_types import (
    ArithmeticType,
    PointerType,
    VectorType,
    read_parameter_type,
    read_vector_type,
)
from kbuild.model import KernelRecord, Param, TargetRecord
from kbuild.stages.bindings.names import make_unique, name_kernels
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundParameter:
    """A parameter of a kernel.

    ``type`` is None if only the size is known, because the type is a structure or an enumeration
    of the project. ``spelled`` is the C++ type; None if it is unknown.
    """

    name: str
    type: ArithmeticType | PointerType | VectorType | None
    size: int
    spelled: str | None

    @property
    def note(self) -> str | None:
        """What to know about a parameter that languages declare as bytes."""
        if self.type is not None:
            return None
        spelled = f"a {self.spelled}" if self.spelled else "a parameter of unknown type"
        return f"{self.name}: the {self.size} bytes of {spelled}"


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundKernel:
    """A kernel that other files can name.

    ``name`` is unique among the kernels of the target. ``handle`` is the symbol.
    """

    name: str
    handle: str
    display: str
    parameters: tuple[BoundParameter, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bindings:
    """The kernels of a target, and the (demangled name, reason) of each that no file can name."""

    target: str
    kernels: tuple[BoundKernel, ...]
    omitted: tuple[tuple[str, str], ...] = ()


def describe_bindings(table: TargetRecord, handles: Iterable[str] | None = None) -> Bindings:
    """Return the kernels of a target that other files can name.

    Args:
        table: The kernel table of the target.
        handles: The symbols of the handles that the linked file exports; None if all are exported.
    """
    exported = None if handles is None else frozenset(handles)
    reasons = {
        kernel.handle: reason
        for kernel in table.kernels
        if (reason := _find_reason(kernel, table, exported)) is not None
    }
    named = [kernel for kernel in table.kernels if kernel.handle not in reasons]
    return Bindings(
        target=table.target,
        kernels=tuple(
            BoundKernel(
                name=name,
                handle=kernel.handle,
                display=kernel.display,
                parameters=_describe_parameters(kernel.params),
            )
            for name, kernel in zip(name_kernels(named), named, strict=True)
        ),
        omitted=tuple(
            (kernel.display, reasons[kernel.handle])
            for kernel in table.kernels
            if kernel.handle in reasons
        ),
    )


def _find_reason(
    kernel: KernelRecord, table: TargetRecord, exported: frozenset[str] | None = None
) -> str | None:
    """Return why other files cannot name a kernel; None if they can."""
    if kernel.linkage == "internal":
        return "internal linkage"
    if kernel.linkage == "weak" and table.has_host_texts and exported is None:
        return "an instance of a template of a mixed source"
    if exported is not None and kernel.handle not in exported:
        return "the file does not export its handle"
    return None


def _describe_parameters(params: Sequence[Param]) -> tuple[BoundParameter, ...]:
    names = make_unique(param.name or f"argument_{param.index}" for param in params)
    return tuple(
        BoundParameter(
            name=name,
            type=read_parameter_type(param) or read_vector_type(param),
            size=param.size,
            spelled=param.type,
        )
        for name, param in zip(names, params, strict=True)
    )
