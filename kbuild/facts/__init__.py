"""What the readers found in an artifact: the frozen values that verifier rules see.

A rule never opens a file; whatever it needs is a field here.  A *place* is a position in
the file's sections, so that one vocabulary serves object files (no addresses yet) and
linked ones.  ``None`` means that the file does not say.
"""

from __future__ import annotations

from kbuild.facts.artifact import ArtifactFacts, FileKind
from kbuild.facts.device import CodeFacts, ContainerFacts, ImageFacts
from kbuild.facts.host import (
    HandleFacts,
    HostKernel,
    IdentityKind,
    LinkageFacts,
    ModuleFacts,
    RuntimeFacts,
    WrapperFacts,
)
from kbuild.facts.layout import (
    DynamicFacts,
    Place,
    Pointer,
    Reference,
    ReferenceKind,
    Section,
    Segment,
    Symbol,
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
    "Symbol",
    "WrapperFacts",
]
