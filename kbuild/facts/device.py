"""Facts about the device code in an artifact: images and their containers."""

from __future__ import annotations

from kbuild.facts.elf import Place
from kbuild.model import Compression, ImageKind, Kernel, Variable
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFacts:
    """The (name, digest) of each function and object in an image, for comparing images.

    A digest covers the bytes and the relocations that change them. ``context`` is the digest of
    data that functions refer to without a name. If it differs, equal bytes can mean different
    code.
    """

    functions: tuple[tuple[str, str], ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    context: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageFacts:
    """One device image in an artifact.

    Attributes:
        compression: None if the compression method is unknown.
        sha256: None if no kernel table contains the expected hash of the image.
        container: The position of the image's container in ``ArtifactFacts.containers``.
        kernels: The kernels that can be launched.
        object_version: The version of the format of code objects, for a vendor that numbers it.
        source_paths: The paths of the sources in the debug information.
        variables: The variables that host files can name. Empty if a kernel table lists them.
        nameless: Names of kernels whose code has no symbol; another part of the image contains
            the name.
        problem: Why the image cannot be read, in which case it has no ``kernels``.
        code: None if it was not requested, or if the backend cannot provide it.
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
    object_version: str | None = None
    source_paths: tuple[str, ...] = ()
    variables: tuple[Variable, ...] = ()
    nameless: tuple[str, ...] = ()
    problem: str | None = None
    code: CodeFacts | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerFacts:
    """The images that are registered together, which are usually those of one source.

    Attributes:
        is_damaged: A part of the container could not be read. A missing image might be in it.
        alignment: The alignment in bytes that the format requires for ``place``.
        is_relocatable: The images need a device link.
    """

    backend: str
    place: Place
    size: int
    is_damaged: bool
    alignment: int
    is_relocatable: bool = False
