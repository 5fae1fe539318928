"""The values that the stages pass to each other.

Every class is a frozen dataclass whose fields are scalars, tuples, and other values, never lists or
dicts, so that a stage cannot change the result of another one. Sizes and offsets are in bytes. None
means that a value is unknown. kbuild never guesses.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from kbuild.values import dataclass

Linkage: TypeAlias = Literal["external", "weak", "internal"]
ImageKind: TypeAlias = Literal["elf", "ptx", "bitcode", "spirv", "other"]
ArtifactKind: TypeAlias = Literal["object", "static", "shared", "module", "executable"]
Visibility: TypeAlias = Literal["default", "hidden"]
Compression: TypeAlias = Literal["none", "lz4", "zstd", "zlib"]
CompressionMode: TypeAlias = Literal["none", "speed", "balance", "size"]
RuntimeLinkage: TypeAlias = Literal["shared", "static", "bundle"]
VariableKind: TypeAlias = Literal["device", "constant", "managed"]
# The fields of `Resources` that compilers print, but that no image contains.
LoggedFigure: TypeAlias = Literal["spill_store_bytes", "spill_load_bytes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Param:
    """One kernel parameter with its layout in the device image.

    ``kind`` is the vendor's word for how it is passed, for example ``by_value`` or
    ``global_buffer``.
    """

    index: int
    offset: int
    size: int
    type: str | None = None
    name: str | None = None
    kind: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """The resources of one kernel on one architecture, as its compiler reports them.

    ``constant_bytes`` is the size of the kernel's own constant bank, which includes the parameters.
    ``code_bytes`` is the size of its machine code. ``spill_bytes`` is the sum of spill stores and
    spill loads. ``max_threads`` is the launch bound, and ``required_block`` is the only block size
    with which the kernel can be launched.

    On AMD devices, ``registers`` is the number of vector registers. It includes the accumulation
    registers if both share one register file. Spills are counted in registers.
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
    """The largest launch for which a kernel's code was compiled.

    ``max_threads`` is the maximum number of threads per block, and ``max_registers`` the maximum
    number of registers per thread. None means that there is no limit.
    """

    max_threads: int | None = None
    max_registers: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """A kernel in one device image.

    ``name`` is the symbol, and ``display`` the demangled name. ``linkage`` is ``weak`` for
    templates and inline kernels, and ``internal`` for static kernels. ``execution`` says how the
    threads of a block run where that is not the same for all kernels.
    """

    name: str
    display: str
    linkage: Linkage = "external"
    params: tuple[Param, ...] = ()
    resources: Resources = Resources()
    execution: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A device variable in one device image whose name other files can use.

    ``initial_offset`` is the offset in the image of the initial content of a managed variable, for
    runtimes that take it from the host. It is None if the initial content is zero. ``linkage`` is
    that of the symbol in the image. Some compilers make every variable local.
    """

    name: str
    display: str
    kind: VariableKind
    size: int
    initial_offset: int | None = None
    linkage: Linkage = "external"


@dataclass(frozen=True, slots=True, kw_only=True)
class InitialContent:
    """The location of a managed variable's initial content: a byte range in an image or object."""

    path: Path
    offset: int
    size: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerRecord:
    """The compiler that made an image, and its options.

    Nothing in it depends on the directories of a build. ``name`` is the kind of compiler, such as
    ``gcc`` or ``nvcc``. In ``options``, ``<path>`` replaces paths.
    """

    name: str
    version: str
    options: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceImage:
    """The device code of one source for one architecture, with its kernels and variables.

    ``library_kernels`` are the names of kernels that a device link added from the vendor's own
    library. Host code does not use them.
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
    compiler: CompilerRecord | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureRecord:
    """One figure of each kernel of an image, in the order of the kernels."""

    name: LoggedFigure
    values: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageRecord:
    """An image in the kernel table, identified by its digest instead of a path.

    ``compiler`` is a position in the ``compilers`` of the table.
    """

    arch: str
    kind: ImageKind
    sha256: str
    size: int
    kernels: tuple[str, ...]
    figures: tuple[FigureRecord, ...] = ()
    compiler: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerRecord:
    """One container: the images of one source, which are registered together.

    With separable compilation, the linked images of a target are one container. The containers of
    its sources are ``is_prelinked``: the runtime links them itself on a device that cannot use a
    linked image.
    """

    source: str
    images: tuple[ImageRecord, ...]
    is_prelinked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelRecord:
    """One row of the kernel table: a handle and its device kernel.

    ``handle`` is the symbol of the handle. ``device_name`` is the name inside the image, which can
    differ from the handle. ``container`` is the index of the container with the kernel. ``stub`` is
    the symbol of the debug stub; None if there is no stub.
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
    """A device variable that host code can name by the symbol ``shadow``."""

    shadow: str
    device_name: str
    display: str
    kind: VariableKind
    size: int
    container: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRecord:
    """The kernel table of one target, which ``.note.kbuild`` contains and `load` reads.

    ``has_host_texts`` tells whether the objects of mixed sources define the handles.
    """

    version: str
    target: str
    backend: str
    visibility: Visibility
    kernels: tuple[KernelRecord, ...]
    containers: tuple[ContainerRecord, ...]
    variables: tuple[VariableRecord, ...] = ()
    compilers: tuple[CompilerRecord, ...] = ()
    has_host_texts: bool = False

    def architectures_of(self, compiler: int) -> tuple[str, ...]:
        """Return the architectures of the images that the compiler at this position made."""
        images = (image for container in self.containers for image in container.images)
        return tuple(dict.fromkeys(image.arch for image in images if image.compiler == compiler))


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """Malformed content that a reader found and reports instead of raising an exception.

    ``where`` names the part (for example ``container 1, image 0``). ``message`` says what is wrong.
    ``offset`` is the offset in the content, or None if no single byte is affected.
    """

    where: str
    message: str
    offset: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """The command line of a tool, which a backend returns and `process` runs.

    ``directories`` must exist before the command runs. ``cwd`` is its working directory. None means
    the directory of the caller. If ``leaves_files`` is true, the tool does not remove all of its
    temporary files, so it gets a separate directory for them.
    """

    argv: tuple[str, ...]
    inputs: tuple[Path, ...] = ()
    outputs: tuple[Path, ...] = ()
    directories: tuple[Path, ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    cwd: Path | None = None
    leaves_files: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandResult:
    """The exit status and output of a finished tool."""

    argv: tuple[str, ...]
    returncode: int
    stdout: str
    stderr: str
