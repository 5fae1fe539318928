"""What a command line of nvcc requests."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

from kbuild.backends.interface.nvcc import LinkOutput
from kbuild.model import CompressionMode
from kbuild.values import dataclass

# The last step to run.
Phase: TypeAlias = Literal[
    "link",
    "compile",
    "preprocess",
    "dependencies",
    "ptx",
    "cubin",
    "fatbin",
    "host-source",
    "device-link",
    "archive",
]
InputKind: TypeAlias = Literal["cu", "c++", "c", "object", "archive", "shared", "device"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A file on the command line. ``device`` stands for a cubin, PTX, or fat binary."""

    path: Path
    kind: InputKind


@dataclass(frozen=True, slots=True, kw_only=True)
class DependencyFile:
    """The depfile that a compile writes in addition, or that ``-M`` writes alone.

    Attributes:
        path: The file; None means the standard output for ``-M``, or else a name like the output's.
        targets: The targets of the rule as they are written; empty means the name of the output.
        has_system_headers: Whether headers in system directories are listed, too.
        has_phony_targets: Whether each header also gets an empty rule.
    """

    path: Path | None = None
    targets: tuple[str, ...] = ()
    has_system_headers: bool = True
    has_phony_targets: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A command line of nvcc, read and checked.

    Attributes:
        phase: The last step to run.
        inputs: The files, in order. Libraries of ``-l`` are in ``libraries``.
        output: The file of ``-o``.
        output_directory: The directory of ``-odir``, for outputs without a name.
        architectures: In CMake's spelling, such as ``90``, ``90-real``, and ``native``; empty
            without an option.
        relocatable: Whether device code is relocatable (``-rdc=true``, ``-dc``).
        preprocessor: ``-D``, ``-U``, ``-I``, ``-isystem``, and ``-include`` in order, each as one
            word or as an option and its value, spelled for g++ and nvcc.
        standard: The number of the C++ standard, such as ``17``; None without an option.
        optimization: The level of ``-O``, such as ``3``; None without an option.
        has_debug: Whether ``-g`` is given.
        device_options: The other options that concern device code, spelled for nvcc; the options
            of ``-Xcompiler`` are not among them.
        host_options: The other options that concern the host compiler (``-Xcompiler``, forwarded
            ones, ``-pg``), spelled for it.
        libraries: The names of ``-l``.
        library_directories: The directories of ``-L``.
        linker_options: The options of ``-Xlinker`` and forwarded ones, as the host compiler takes
            them when it links.
        link_output: What a device link writes: an object for the host linker (``-dlink``), or
            the linked image or a fat binary (``-dlink -cubin``, ``-dlink -fatbin``).
        device_linker_options: The options of ``-Xnvlink``.
        archiver_options: The options of ``-Xarchive``.
        is_shared: Whether a link makes a shared object.
        links_device_code: Whether a link also links relocatable device code (not ``-nodlink``).
        runtime: The linkage of the runtime (``-cudart``).
        host_compiler: The value of ``-ccbin``.
        dependencies: The depfile, if one is requested.
        jobs: The number of ``-t``; 0 means one per core.
        kept: The directory of intermediate files (``--keep``), or None.
        is_verbose: Whether the commands are printed (``-v``).
        is_dry_run: Whether the commands are printed instead of run (``--dryrun``).
        asks_for_version: Whether the version is printed instead (``--version``).
        asks_for_help: Whether the options are printed instead (``--help``).
        backend: The value of ``--backend``, kbuild's own option.
        cuda_version: The value of ``--cuda-version``, another option of kbuild.
        is_checked: Whether device code is instrumented (``--check``, another option of kbuild).
        has_weak_instances: Whether other sources find the kernels that a source instantiates
            implicitly (``-static-global-template-stub=false``).
        compression: How fat binaries are compressed (``-compress-mode``).
        hides_entities: Whether the host symbols of kernels and device variables are hidden.
        enables_tiles: Whether sources can contain tile code (``--enable-tile``). kbuild rejects
            sources that do.
        notes: What the user should know about options without an effect, one line each.
    """

    phase: Phase = "link"
    inputs: tuple[Input, ...] = ()
    output: Path | None = None
    output_directory: Path | None = None
    architectures: tuple[str, ...] = ()
    relocatable: bool = False
    preprocessor: tuple[str, ...] = ()
    standard: str | None = None
    optimization: str | None = None
    has_debug: bool = False
    device_options: tuple[str, ...] = ()
    host_options: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()
    library_directories: tuple[str, ...] = ()
    linker_options: tuple[str, ...] = ()
    link_output: LinkOutput = "object"
    device_linker_options: tuple[str, ...] = ()
    archiver_options: tuple[str, ...] = ()
    is_shared: bool = False
    links_device_code: bool = True
    runtime: Literal["static", "shared", "none"] = "static"
    host_compiler: str | None = None
    dependencies: DependencyFile | None = None
    jobs: int = 1
    kept: Path | None = None
    is_verbose: bool = False
    is_dry_run: bool = False
    asks_for_version: bool = False
    asks_for_help: bool = False
    backend: str | None = None
    cuda_version: str | None = None
    is_checked: bool = False
    has_weak_instances: bool = False
    compression: CompressionMode = "balance"
    hides_entities: bool = False
    enables_tiles: bool = False
    notes: tuple[str, ...] = ()
