"""Device code as an artifact holds it: images, and the containers around them."""

from __future__ import annotations

from dataclasses import dataclass

from kbuild.facts.layout import Place
from kbuild.model import Compression, ImageKind, Kernel


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFacts:
    """What tells the code of two images apart: (name, digest) of each function and object.

    A digest is of the bytes, and of the relocations that change them.  ``context`` is that
    of what functions refer to without a name: where it differs, equal bytes may mean
    different code.
    """

    functions: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """One device image inside an artifact, in the order of the file.

    ``container`` is the position of its container in ``ArtifactFacts.containers``;
    ``compression`` is None for one that is not known, ``sha256`` where no kernel table
    says what it should be; ``source_paths`` are where its sources lay when it was compiled,
    as its debug information has it; ``problem`` says why the image cannot be read, and then
    it shows no kernels.  ``nameless`` are the names, told by something else in the image, of
    kernels whose code no symbol names; ``kernels`` has those of them that can be launched.
    ``code`` is None where nobody asked for it, or nobody can tell.
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
    code: CodeFacts | None = None


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
