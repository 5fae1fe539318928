"""Facts about an ELF file: sections, segments, symbols, and references between them."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kbuild.values import dataclass

ReferenceKind: TypeAlias = Literal["call", "call-slot", "copy", "absolute-32"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """An ELF section header. ``type`` is the name of the ELF constant (``SHT_NOTE``).

    ``flags``, ``link``, and ``info`` are raw numbers. The meaning of ``link`` and ``info``
    depends on the type.
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
    """An ELF program header. ``type`` is the name of the ELF constant (``PT_GNU_RELRO``)."""

    type: str
    flags: int
    address: int
    offset: int
    file_size: int
    memory_size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A position in a file: byte ``offset`` of the section with index ``section``."""

    section: int
    offset: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """An ELF symbol. ``place`` is None if the symbol is undefined, absolute, or common.

    ``version`` is the version of a dynamic symbol: defined by this file, or required from
    another.
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
    """The content of a pointer-sized slot at run time, resolved through relocations.

    The pointer is null (`is_null`), points to ``place`` in this file, or refers to a ``symbol``
    that another file defines. If ``interposable`` is True, the dynamic linker can bind
    ``symbol`` to a definition in another file.
    """

    place: Place | None = None
    symbol: str | None = None
    interposable: bool = False

    @property
    def is_null(self) -> bool:
        """Whether the slot is zero at run time."""
        return self.place is None and self.symbol is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """A reference to a symbol that might belong to a kernel, found in the relocations.

    Attributes:
        kind: ``call`` is a call or jump instruction in an object file. ``call-slot`` is the slot
            through which a linked file calls a function. ``copy`` is a variable that the dynamic
            linker copies into the executable. ``absolute-32`` is a 4-byte address in an object
            file.
        symbol: The name of the symbol.
        place: The first reference of this kind.
        target: The place of the symbol in this file; None if only another file can define it.
    """

    kind: ReferenceKind
    symbol: str
    place: Place
    target: Place | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicFacts:
    """The dynamic section of a linked file.

    Attributes:
        needed: The names of the libraries that the file needs.
        is_symbolic: The file binds its own symbols to itself (``-Bsymbolic``).
        rpath: Library search paths, as written.
        runpath: Library search paths, as written.
        versions: The symbol versions that the file defines; empty if it defines none.
        versioned: The names of the libraries from which the file needs symbol versions.
        needed_versions: The libraries and the versions of symbols without which the file cannot
            be loaded. Versions that only weak references need are left out.
    """

    soname: str | None
    needed: tuple[str, ...]
    is_symbolic: bool
    has_text_relocations: bool
    rpath: tuple[str, ...] = ()
    runpath: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    versioned: tuple[str, ...] = ()
    needed_versions: tuple[tuple[str, str], ...] = ()
