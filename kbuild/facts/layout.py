"""Where things are in an ELF file: sections, segments, symbols, and what refers to them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

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
