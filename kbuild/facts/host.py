"""The host side of kernels: identities, registration, runtimes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.facts.layout import Place, Pointer, Symbol
from kbuild.model import KernelRecord, TargetRecord

IdentityKind: TypeAlias = Literal["function", "variable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperFacts:
    """A record through which host code that kbuild did not make registers a container.

    ``container`` is the position in ``ArtifactFacts.containers`` of the one it points to,
    ``awaits`` the symbol of one that another file defines, as a device link does; where both
    are None, or the record itself is not sound, ``problem`` says why.  Several
    may name one container, and one that none names is never registered.
    ``is_device_linked`` is the record of a device linker's output.
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
    """The host side of a kernel that no kernel table of kbuild's covers.

    ``kernel`` is its name in the images; ``symbol`` what launches pass and registration
    names, None where the file shows none or cannot tell which of several it is; ``stub``
    the function that launches the kernel where that is another one.  A kernel is there
    once for each symbol: file-local kernels of two sources share a name.
    ``is_registered`` says whether host code of this file registers the kernel with its
    runtime, None where the file cannot tell.
    """

    backend: str
    kernel: str
    symbol: Symbol | None
    stub: Symbol | None
    is_registered: bool | None

    @property
    def kind(self) -> IdentityKind | None:
        """What the symbol is: code, or a variable that stands for the kernel."""
        if self.symbol is None:
            return None
        return "function" if self.symbol.type == "function" else "variable"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeFacts:
    """A GPU runtime that a linked file needs (``shared``) or contains (``static``).

    ``version`` is that of the soname, None where the file does not tell one; ``needs`` are
    the versions of the library's symbols without which it does not load.  ``is_driver`` is the
    interface of the system's driver, below the runtimes.
    """

    backend: str
    name: str
    linkage: Literal["shared", "static"]
    soname: str | None
    version: str | None
    needs: tuple[str, ...] = ()
    is_driver: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkageFacts:
    """What a file's symbols say of one family of tools.

    ``unlinked`` are undefined symbols that only a device link defines, ``needs`` those that
    a runtime has to; ``unregisters`` says whether the file can take back what it registers,
    None where no symbol shows that it registers anything.  ``waiting`` are sections that list
    what a device link registers, where none has.
    """

    backend: str
    unlinked: tuple[str, ...]
    needs: tuple[str, ...]
    unregisters: bool | None
    waiting: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleFacts:
    """The host identity of one kernel: the symbol that launches pass.

    ``row`` is its row of the kernel table.  ``registered`` is what that row's handle
    slot holds, None where the descriptor cannot be read; ``symbol`` the symbol of the
    kernel's name, None where the file shows none; ``place`` where the handle lies, by
    either of them.  ``content`` is what the handle itself holds, ``is_read_only`` whether
    it can be written once the file is loaded (None in object files, where the linker has
    not decided), and ``stub`` the symbol of the debug stub that the row names, where the
    file defines it.
    """

    kernel: str
    row: KernelRecord
    registered: Pointer | None
    symbol: Symbol | None
    place: Place | None
    content: Pointer | None
    is_read_only: bool | None
    stub: Symbol | None

    @property
    def is_found(self) -> bool:
        """Whether the file has this handle at all, under its name or without one."""
        return self.place is not None

    @property
    def is_function(self) -> bool:
        """Whether the kernel's symbol is code, not the variable that kbuild makes."""
        return self.symbol is not None and self.symbol.type == "function"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFacts:
    """One kernel target inside an artifact: its ``.note.kbuild`` and what that points to.

    ``descriptor_problem`` says why the descriptor cannot be followed.  ``containers`` has
    one entry for each of the record's: its position in ``ArtifactFacts.containers``, or
    None where the descriptor does not lead there.  ``is_constructor_reached`` tells
    whether the program's initialisers reach the function that registers,
    ``constructor_priority`` its priority where the file says (object files).
    """

    record: TargetRecord
    descriptor: Place | None
    descriptor_problem: str | None
    constructor: Place | None
    unregister: Place | None
    is_constructor_reached: bool
    constructor_priority: int | None
    containers: tuple[int | None, ...]
    earlier_constructors: int | None = None
