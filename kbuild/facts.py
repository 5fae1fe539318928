"""What the readers found in an artifact: the frozen values that verifier rules see.

A rule never opens a file; whatever it needs is a field here.  A *place* is a position in
the file's sections, so that one vocabulary serves object files (no addresses yet) and
linked ones.  ``None`` means that the file does not say.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.model import ImageKind, Kernel, TargetRecord

FileKind: TypeAlias = Literal[
    "object",
    "archive",
    "shared-object",
    "executable",
    "wheel",
    "fat-binary",
    "image",
]
Compression: TypeAlias = Literal["none", "lz4", "zstd", "zlib"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """An ELF section header.  ``type`` is the ELF name (``SHT_NOTE``), ``flags`` raw bits."""

    index: int
    name: str
    type: str
    flags: int
    address: int
    offset: int
    size: int
    alignment: int
    entry_size: int


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
    """An ELF symbol; ``place`` is None where it is undefined, absolute or common."""

    name: str
    type: Literal["none", "object", "function", "section", "file", "tls", "other"]
    binding: Literal["local", "global", "weak", "unique", "other"]
    visibility: Literal["default", "protected", "hidden", "internal"]
    size: int
    value: int
    place: Place | None
    dynamic: bool


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
class Problem:
    """Something a reader could not make sense of: a finding, never a crash.

    ``where`` names the part (``container 1, image 0``), ``message`` says what is wrong.
    """

    where: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """One device image inside an artifact, in the order of the file."""

    backend: str
    arch: str
    kind: ImageKind
    compression: Compression
    size: int
    stored_size: int
    sha256: str
    container: int
    kernels: tuple[Kernel, ...]
    ptx_version: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HandleFacts:
    """The host identity of one kernel: the symbol that launches pass.

    ``content`` is what the handle's slot holds; ``relro`` whether the slot is read-only
    after relocation (None in object files, where the linker has not decided).
    ``stub`` is the debug stub's symbol.
    """

    kernel: str
    symbol: Symbol
    section: Section | None
    content: Pointer | None
    relro: bool | None
    stub: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFacts:
    """One kernel target inside an artifact: its ``.note.kbuild`` and what that points to.

    ``containers`` are the positions of its containers in ``ArtifactFacts.images``
    numbering; ``constructor_reached`` tells whether the program's initialisers reach the
    function that registers, ``constructor_priority`` its priority where the file says
    (object files), ``None`` where it does not.
    """

    record: TargetRecord
    descriptor: Place | None
    constructor: Place | None
    unregister: Place | None
    constructor_reached: bool | None
    constructor_priority: int | None
    containers: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactFacts:
    """Everything that inspect found in one file (or one member of an archive or wheel)."""

    path: str
    kind: FileKind
    machine: str | None
    sha256: str
    modules: tuple[ModuleFacts, ...] = ()
    images: tuple[ImageFacts, ...] = ()
    handles: tuple[HandleFacts, ...] = ()
    sections: tuple[Section, ...] = ()
    segments: tuple[Segment, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    has_symbol_table: bool = False
    problems: tuple[Problem, ...] = ()
