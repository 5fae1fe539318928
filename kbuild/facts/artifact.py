"""An artifact: all that is known of one file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.facts.device import ContainerFacts, ImageFacts
from kbuild.facts.host import (
    HandleFacts,
    HostKernel,
    LinkageFacts,
    ModuleFacts,
    RuntimeFacts,
    WrapperFacts,
)
from kbuild.facts.layout import DynamicFacts, Place, Reference, Section, Segment, Symbol
from kbuild.model import Problem

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
