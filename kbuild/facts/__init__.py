"""Facts: the frozen values that inspection returns and that rules evaluate.

A rule never opens a file. Everything that it needs is a field of these classes. A *place* is a
position in a section, because that works for linked files and for object files, which have no
addresses yet. ``None`` means that the file does not contain the information.
"""

from __future__ import annotations

from kbuild.facts.artifact import ArtifactFacts, FileKind
from kbuild.facts.device import CodeFacts, ContainerFacts, ImageFacts
from kbuild.facts.elf import (
    DynamicFacts,
    Place,
    Pointer,
    Reference,
    ReferenceKind,
    Section,
    Segment,
    Symbol,
)
from kbuild.facts.host import (
    HandleFacts,
    HostKernel,
    IdentityKind,
    LinkageFacts,
    ModuleFacts,
    RuntimeFacts,
    ShadowFacts,
    WrapperFacts,
)

__all__ = [
    "ArtifactFacts",
    "CodeFacts",
    "ContainerFacts",
    "DynamicFacts",
    "FileKind",
    "HandleFacts",
    "HostKernel",
    "IdentityKind",
    "ImageFacts",
    "LinkageFacts",
    "ModuleFacts",
    "Place",
    "Pointer",
    "Reference",
    "ReferenceKind",
    "RuntimeFacts",
    "Section",
    "Segment",
    "ShadowFacts",
    "Symbol",
    "WrapperFacts",
]
