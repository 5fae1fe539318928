"""Facts about the host side of kernels: handles, registration, and runtimes."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kbuild.facts.elf import Place, Pointer, Symbol
from kbuild.model import KernelRecord, TargetRecord
from kbuild.values import dataclass

IdentityKind: TypeAlias = Literal["function", "variable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperFacts:
    """A record with which host code that kbuild did not generate registers a container.

    Several records can refer to one container. A container without a record is never registered.

    Attributes:
        is_device_linked: The record belongs to the output of a device linker.
        container: The position in ``ArtifactFacts.containers`` of the container that the record
            points to; None if it does not point to one in this file.
        awaits: The symbol of a container that another file defines, for example a device link; or
            the section that says which files have the images.
        problem: Why the record is damaged, or refers to no container.
    """

    backend: str
    place: Place
    version: int | None
    is_device_linked: bool
    container: int | None
    awaits: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostKernel:
    """The host side of a kernel that is not in a kernel table of kbuild.

    If file-local kernels of two sources share a name, there is one entry for each symbol.

    Attributes:
        kernel: The name of the kernel in the images.
        symbol: The symbol that launches and the registration use; None if it is missing or
            ambiguous.
        stub: The function that launches the kernel, if it is not ``symbol``.
        is_registered: Whether host code of this file registers the kernel with its runtime; None
            if unknown.
        is_absent: Host code registers the kernel, but no image contains it.
    """

    backend: str
    kernel: str
    symbol: Symbol | None
    stub: Symbol | None
    is_registered: bool | None
    is_absent: bool = False

    @property
    def kind(self) -> IdentityKind | None:
        """Whether the symbol is code or a variable; None if the symbol is unknown."""
        if self.symbol is None:
            return None
        return "function" if self.symbol.type == "function" else "variable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeFacts:
    """A GPU runtime that a linked file needs (``shared``) or contains (``static``).

    Attributes:
        version: The version in the soname; None if it has none.
        needs: The symbol versions of the library without which the file cannot be loaded.
        is_driver: The library is the interface of the driver, which the runtimes use.
        is_bound_to_kernel: The library works only with the kernel module of the same release.
        is_copy: The soname has a hash, as `auditwheel repair` gives to copies.
    """

    backend: str
    name: str
    linkage: Literal["shared", "static"]
    soname: str | None
    version: str | None
    needs: tuple[str, ...] = ()
    is_driver: bool = False
    is_bound_to_kernel: bool = False
    is_copy: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkageFacts:
    """Facts about linking with one backend, from the symbols of a file.

    Attributes:
        unlinked: Undefined symbols that only a device link defines.
        needs: Undefined symbols that a runtime library must define.
        unregisters: Whether the file can unregister what it registers; None if its symbols do
            not show any registration.
        waiting: Sections that list containers for a device link that has not been done.
        registers_kernels: Whether host code registers kernels and not only containers; None if
            the symbols do not show it, because the file contains the runtime.
    """

    backend: str
    unlinked: tuple[str, ...]
    needs: tuple[str, ...]
    unregisters: bool | None
    waiting: tuple[str, ...] = ()
    registers_kernels: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleFacts:
    """The handle of one kernel: the symbol that launches pass.

    Attributes:
        row: The row of the kernel in the kernel table.
        registered: The handle pointer in that row of the descriptor; None if the descriptor
            cannot be read.
        symbol: The symbol with the kernel's name; None if the file does not have it.
        place: The place of the handle, from ``registered`` or ``symbol``.
        content: The pointer that the handle contains; None if it contains code.
        has_code: Whether the handle is executable code that reports that the kernel was called, as
            those of instances of templates are.
        is_read_only: Whether the handle is write-protected after loading; None in object files,
            because the linker decides it.
        stub: The symbol of the debug stub that the row names; None if the file does not define
            it.
    """

    kernel: str
    row: KernelRecord
    registered: Pointer | None
    symbol: Symbol | None
    place: Place | None
    content: Pointer | None
    is_read_only: bool | None
    stub: Symbol | None
    has_code: bool = False

    @property
    def is_found(self) -> bool:
        """Whether the file contains this handle, with or without a symbol."""
        return self.place is not None

    @property
    def is_function(self) -> bool:
        """Whether the kernel's symbol is code instead of the variable that kbuild generates."""
        return self.symbol is not None and self.symbol.type == "function"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShadowFacts:
    """The shadow of a device variable: the host variable with which host code names it.

    Attributes:
        symbol: The symbol of the shadow, which has the name of the variable and is not local.
        registered: The pointer to the shadow in the descriptor of the kernel target; None if
            another tool built the file, or if the descriptor cannot be read.
        is_own: Whether a kernel table of kbuild lists the variable.
    """

    backend: str
    symbol: Symbol
    registered: Pointer | None
    is_own: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFacts:
    """One kernel target in an artifact: its ``.note.kbuild`` and what the note refers to.

    Attributes:
        descriptor_problem: Why the descriptor cannot be read.
        is_constructor_reached: Whether the initializers of the program call the function that
            registers the kernels.
        constructor_priority: The priority of this function; None in linked files.
        earlier_constructors: The names of the other constructors that run before it; empty if the
            file does not name them.
        containers: For each container of the record, its position in
            ``ArtifactFacts.containers``; None if the descriptor does not refer to it.
    """

    record: TargetRecord
    descriptor: Place | None
    descriptor_problem: str | None
    constructor: Place | None
    unregister: Place | None
    is_constructor_reached: bool
    constructor_priority: int | None
    containers: tuple[int | None, ...]
    earlier_constructors: tuple[str, ...] | None = None
