"""Facts about one artifact."""

from __future__ import annotations

from typing import Literal, TypeAlias

from kbuild.facts.device import ContainerFacts, ImageFacts
from kbuild.facts.elf import DynamicFacts, Place, Reference, Section, Segment, Symbol
from kbuild.facts.host import (
    HandleFacts,
    HostKernel,
    LinkageFacts,
    ModuleFacts,
    RuntimeFacts,
    ShadowFacts,
    WrapperFacts,
)
from kbuild.facts.wheel import WheelFacts
from kbuild.model import Problem
from kbuild.values import dataclass

FileKind: TypeAlias = Literal[
    "object",
    "archive",
    "shared-object",
    "executable",
    "wheel",
    "windows-binary",
    "fat-binary",
    "image",
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactFacts:
    """Everything that inspection found in one file, or in one member of an archive or wheel.

    Attributes:
        problems: Damage to device code, except for the problems of single images.
        note_problems: Damage to ``.note.kbuild``.
        symbols: All symbols of an object file. Of a linked file, the dynamic and the undefined
            ones, and those that can belong to kernels, stubs, device variables, and their
            registration.
        references: The references that can concern kernels, each of them once: to symbols that
            this file does not define, and to its own handles and stubs.
        dynamic: The dynamic section. None for object files and statically linked programs.
        is_summary: Only the lists of images in containers were read. Kernels, host facts, and
            ``sha256`` are missing.
        wheel: The facts of a wheel as a whole. Its files are artifacts of their own.
    """

    path: str
    kind: FileKind
    machine: str | None
    sha256: str | None
    modules: tuple[ModuleFacts, ...] = ()
    containers: tuple[ContainerFacts, ...] = ()
    images: tuple[ImageFacts, ...] = ()
    handles: tuple[HandleFacts, ...] = ()
    shadows: tuple[ShadowFacts, ...] = ()
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
    wheel: WheelFacts | None = None

    def images_of(self, container: int) -> tuple[ImageFacts, ...]:
        """Return the images in the container at this position, in file order."""
        return tuple(image for image in self.images if image.container == container)

    def section_of(self, place: Place) -> Section | None:
        """Return the section that contains ``place``; None if it does not exist."""
        return self.sections[place.section] if place.section < len(self.sections) else None
