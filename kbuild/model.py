"""The nouns: frozen values that pass between the stages.

Every value is ``frozen, slots, kw_only`` and holds scalars, tuples and other values of
this module, never lists or dicts, so that a stage cannot change what another one made.
Sizes and offsets are in bytes.  ``None`` means *unknown*, never a guess.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

Linkage: TypeAlias = Literal["external", "weak", "internal"]
ImageKind: TypeAlias = Literal["elf", "ptx", "bitcode", "spirv", "other"]
ArtifactKind: TypeAlias = Literal["object", "static", "shared", "module"]
Visibility: TypeAlias = Literal["default", "hidden"]
Compression: TypeAlias = Literal["none", "lz4", "zstd", "zlib"]
CompressionMode: TypeAlias = Literal["none", "speed", "balance", "size"]
RuntimeLinkage: TypeAlias = Literal["shared", "static", "bundle"]
VariableKind: TypeAlias = Literal["device", "constant", "managed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One kernel parameter as the device image lays it out.

    ``kind`` is the vendor's word for how it is passed, like ``by_value`` or
    ``global_buffer``, where the image has one.
    """

    index: int
    offset: int
    size: int
    type: str | None = None
    name: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """What one kernel needs on one architecture, as its compiler reports it.

    ``constant_bytes`` is its own constant bank, the parameters among them; ``code_bytes``
    its machine code.  ``spill_bytes`` are those stored and those loaded.  ``max_threads`` is
    the launch bound, ``required_block`` the only block that it can be launched with.  On AMD's
    devices ``registers`` are the vector registers, the accumulation registers among them where
    both share one file; spills count registers.
    """

    registers: int | None = None
    shared_bytes: int | None = None
    local_bytes: int | None = None
    spill_bytes: int | None = None
    max_threads: int | None = None
    constant_bytes: int | None = None
    code_bytes: int | None = None
    scalar_registers: int | None = None
    accumulation_registers: int | None = None
    spilled_registers: int | None = None
    spilled_scalar_registers: int | None = None
    spill_store_bytes: int | None = None
    spill_load_bytes: int | None = None
    wavefront_size: int | None = None
    required_block: tuple[int, int, int] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HighWaterMarks:
    """What launches a kernel's code was made for; None is no mark.

    Blocks have ``max_threads`` at most, a thread ``max_registers`` at most.
    """

    max_threads: int | None = None
    max_registers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel in one device image.

    ``name`` is the symbol, ``display`` the demangled name, ``linkage`` how far the name
    reaches: ``weak`` for templates and inline kernels, ``internal`` for static ones.
    """

    name: str
    display: str
    linkage: Linkage = "external"
    params: tuple[Param, ...] = ()
    resources: Resources = Resources()


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A device variable in one device image, one whose name other files can use.

    ``initial_offset`` is where in the image the first content of a managed variable lies,
    for runtimes that want it from the host; None where it is zero.
    """

    name: str
    display: str
    kind: VariableKind
    size: int
    initial_offset: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceImage:
    """Device code of one source for one architecture, with what it holds.

    ``library_kernels`` are those that a device link took from the vendor's own library, by
    name: no host knows them.
    """

    source: str
    arch: str
    kind: ImageKind
    path: Path
    sha256: str
    size: int
    kernels: tuple[Kernel, ...]
    variables: tuple[Variable, ...] = ()
    library_kernels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRecord:
    """An image as the kernel table describes it: no path, only what identifies it."""

    arch: str
    kind: ImageKind
    sha256: str
    size: int
    kernels: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRecord:
    """One container: the images of one source, registered together.

    With separable compilation the images of a whole target are one container, and those of
    its sources that ``is_prelinked`` are what the runtime links itself, on a device that no
    linked image suits.
    """

    source: str
    images: tuple[ImageRecord, ...]
    is_prelinked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRecord:
    """One row of the kernel table: the host identity and the device kernel behind it.

    ``handle`` is the host symbol, ``device_name`` the name inside the image (they differ
    with separable compilation), ``container`` the index of the container that holds it,
    ``stub`` the debug stub's symbol or None.
    """

    handle: str
    device_name: str
    display: str
    linkage: Linkage
    container: int
    params: tuple[Param, ...]
    stub: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableRecord:
    """A device variable that host code reaches: ``shadow`` is the host symbol that names it."""

    shadow: str
    device_name: str
    display: str
    kind: VariableKind
    size: int
    container: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRecord:
    """The kernel table of one target: what ``.note.kbuild`` carries and `load` reads."""

    version: str
    target: str
    backend: str
    visibility: Visibility
    kernels: tuple[KernelRecord, ...]
    containers: tuple[ContainerRecord, ...]
    variables: tuple[VariableRecord, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Something a reader could not make sense of: a finding, never a crash.

    ``where`` names the part (``container 1, image 0``), ``message`` says what is wrong,
    ``offset`` the byte of the content read that it concerns, where there is one.
    """

    where: str
    message: str
    offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A tool call, described but not run: backends return these, `process` runs them.

    ``directories`` must exist before it runs; ``cwd`` is its working directory, if not ours.
    """

    argv: tuple[str, ...]
    inputs: tuple[Path, ...] = ()
    outputs: tuple[Path, ...] = ()
    directories: tuple[Path, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """What a finished tool said."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
