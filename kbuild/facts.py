"""What the readers found in an artifact: the frozen values that verifier rules see.

A rule never opens a file; whatever it needs is a field here.  A *place* is a position in
the file's sections, so that one vocabulary serves object files (no addresses yet) and
linked ones.  ``None`` means that the file does not say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.model import (
    Compression,
    ImageKind,
    Kernel,
    KernelRecord,
    Problem,
    TargetRecord,
)

FileKind: TypeAlias = Literal[
    "object",
    "archive",
    "shared-object",
    "executable",
    "wheel",
    "fat-binary",
    "image",
    "other",
]
IdentityKind: TypeAlias = Literal["function", "variable"]
ReferenceKind: TypeAlias = Literal["call", "call-slot", "copy", "absolute-32"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """An ELF section header.  ``type`` is the ELF name (``SHT_NOTE``), ``flags`` raw bits.

    ``link`` and ``info`` are raw too; what they mean depends on the type.
    """

    index: int
    name: str
    type: str
    flags: int
    address: int
    offset: int
    size: int
    alignment: int
    entry_size: int
    link: int
    info: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """An ELF program header.  ``type`` is the ELF name (``PT_GNU_RELRO``)."""

    type: str
    flags: int
    address: int
    offset: int
    file_size: int
    memory_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A position: byte ``offset`` inside section number ``section``."""

    section: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """An ELF symbol; ``place`` is None where it is undefined, absolute or common.

    ``version`` is that of a dynamic symbol: the one that it has, or that it needs.
    """

    name: str
    type: Literal["none", "object", "function", "section", "file", "tls", "other"]
    binding: Literal["local", "global", "weak", "unique", "other"]
    visibility: Literal["default", "protected", "hidden", "internal"]
    size: int
    value: int
    place: Place | None
    dynamic: bool
    version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """What a pointer-sized slot will hold at run time, resolved through relocations.

    Exactly one of these holds: it is null (`is_null`), it points to ``place`` in this
    file, or ``symbol`` names something that another file defines.  ``interposable`` says
    that the dynamic linker may bind ``symbol`` to another file's definition.
    """

    place: Place | None = None
    symbol: str | None = None
    interposable: bool = False

    @property
    def is_null(self) -> bool:
        """Whether the slot stays zero."""
        return self.place is None and self.symbol is None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """One device image inside an artifact, in the order of the file.

    ``container`` is the position of its container in ``ArtifactFacts.containers``;
    ``compression`` is None for one that is not known, ``sha256`` where no kernel table
    says what it should be; ``source_paths`` are where its sources lay when it was compiled,
    as its debug information has it; ``problem`` says why the image cannot be read, and then
    it shows no kernels.  ``nameless`` are the names, told by something else in the image, of
    kernels whose code no symbol names; ``kernels`` has those of them that can be launched.
    """

    backend: str
    arch: str
    kind: ImageKind
    compression: Compression | None
    size: int
    stored_size: int
    sha256: str | None
    container: int
    kernels: tuple[Kernel, ...]
    ptx_version: str | None = None
    source_paths: tuple[str, ...] = ()
    nameless: tuple[str, ...] = ()
    problem: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerFacts:
    """The images that are registered together: those of one source.

    ``is_damaged`` says that a part of it could not be read, so that an image which is not
    found there may be one of those parts, ``alignment`` what its format asks of ``place``,
    ``is_relocatable`` that its images wait for a device link.
    """

    backend: str
    place: Place
    size: int
    is_damaged: bool
    alignment: int
    is_relocatable: bool = False


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
class Reference:
    """What a file does with a symbol that may be a kernel's, as its relocations show it.

    ``call`` is a call or jump instruction in an object file, ``call-slot`` the slot through
    which a linked file calls, ``copy`` a variable that the dynamic linker copies into the
    executable, ``absolute-32`` an address in four bytes in an object file.  ``place`` is
    the first such use.  ``target`` is where the file itself defines it; where that is
    None, other files may, under the name ``symbol``.
    """

    kind: ReferenceKind
    symbol: str
    place: Place
    target: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicFacts:
    """What a file asks of the dynamic linker, and has for other files.

    ``is_symbolic`` says that it binds its own symbols to itself (``-Bsymbolic``), ``rpath``
    and ``runpath`` where it looks for what it needs, as written.  ``versions`` are those of
    the symbols that it defines, empty where its symbols have none.
    """

    soname: str | None
    needed: tuple[str, ...]
    is_symbolic: bool
    has_text_relocations: bool
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactFacts:
    """Everything that inspect found in one file (or one member of an archive or wheel).

    ``problems`` are the parts of the device code that could not be read, besides those
    that an image names itself; ``note_problems`` the parts of ``.note.kbuild``.
    ``references`` are those that can concern kernels, each once: to what this file does
    not define, and to its own handles and stubs.  ``dynamic`` is None without a dynamic
    section: in object files and in programs that are linked statically.  With
    ``is_summary`` only the containers' lists of images were read: no kernels, no host side,
    no ``sha256``.
    """

    path: str
    kind: FileKind
    machine: str | None
    sha256: str | None
    modules: tuple[ModuleFacts, ...] = ()
    containers: tuple[ContainerFacts, ...] = ()
    images: tuple[ImageFacts, ...] = ()
    handles: tuple[HandleFacts, ...] = ()
    wrappers: tuple[WrapperFacts, ...] = ()
    host_kernels: tuple[HostKernel, ...] = ()
    runtimes: tuple[RuntimeFacts, ...] = ()
    linkage: tuple[LinkageFacts, ...] = ()
    sections: tuple[Section, ...] = ()
    segments: tuple[Segment, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    has_symbol_table: bool = False
    problems: tuple[Problem, ...] = ()
    note_problems: tuple[Problem, ...] = ()
    references: tuple[Reference, ...] = ()
    dynamic: DynamicFacts | None = None
    is_summary: bool = False

    def images_of(self, container: int) -> tuple[ImageFacts, ...]:
        """The images in container number ``container``, in the order of the file."""
        return tuple(image for image in self.images if image.container == container)

    def section_of(self, place: Place) -> Section | None:
        """The section that ``place`` lies in."""
        return self.sections[place.section] if place.section < len(self.sections) else None
