"""`KernelCompiler`: compiles a source to `CompiledKernel` values, with the stages of builds."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kbuild import __version__
from kbuild.backends import (
    AUTOMATIC,
    find_builder,
    find_checking_backend,
    list_by_preference,
)
from kbuild.backends.interface.build import Builder
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, InputError, ToolchainError
from kbuild.files import read_file, sha256
from kbuild.model import DeviceImage
from kbuild.process import CHECK_VARIABLE, select_environment
from kbuild.runtime.compiling.caching import choose_cache, hash_key, list_dependencies
from kbuild.runtime.compiling.compiled_module import CompiledFiles, CompiledModule
from kbuild.runtime.compiling.dump import dumps_modules
from kbuild.runtime.compiling.inputs import (
    check_name,
    list_limit_options,
    read_options,
    read_source,
)
from kbuild.runtime.compiling.model import (
    Compilation,
    CompileArguments,
    CompiledImage,
    Recompiler,
)
from kbuild.runtime.compiling.recompilers import PortableRecompiler, ToolRecompiler
from kbuild.stages.compile import EdgeOutcome, compile_edge
from kbuild.stages.edges import CompileEdge
from kbuild.stages.sources.parameter_names import declare_params
from kbuild.stages.stubs.kernel_table import build_kernel_table
from kbuild.stages.target import STANDARDS, DeviceFlags
from kbuild.toolchain.devices import query_architecture
from kbuild.toolchain.find import (
    choose_backend,
    find_toolchain,
    find_toolchain_for,
    gather_hints,
)
from kbuild.values import replace

if TYPE_CHECKING:
    from kbuild.runtime.linking import Linkable

NATIVE: Final = "native"
_TEXT_NAME: Final = "kernels.cu"
# As in a build without a build type, and in one for debugging.
_OPTIMIZED: Final = ("-O2",)
_DEBUG: Final = ("-O0", "-g")


class KernelCompiler:
    """Compiles kernel sources for one architecture; it does not need a device.

    Args:
        backend: The backend, as in BACKEND in CMake. If you pass neither a backend nor an
            architecture, this is the first backend with a compiler and a device.
        arch: The architecture, as in ARCHITECTURES in CMake, or None for the device of this
            machine.
        options: Options for the device compiler.
        standard: The C++ standard.
        debug: Compile without optimization and with debug information. Otherwise, the code is
            optimized as in a build (``-O2``).
        cache: Keep the kernels in a cache that outlives the process, and take them from there if
            nothing has changed.  None means that ``KBUILD_KERNEL_CACHE`` decides.
        block_size: The largest number of threads in a block.  Kernels without launch bounds get
            as many registers as such a block can have.  A launch with a larger block still works
            where kernels can be compiled again.  On the CPU, all code runs blocks of all sizes.
        max_registers: The most registers per thread, for kernels without launch bounds.
        check: Instrument the code for checks, for a process that runs with ``KBUILD_CHECK`` or
            under ``pytest --kbuild-check``. None means: under ``pytest --kbuild-check``, if the
            backend can do it.
        fma: Let the compiler contract a multiplication and an addition to one operation, which
            rounds once.  With False, results are those of separate operations.
        relocatable: Compile for a later link with other device code.

    Raises:
        ConfigurationError: The backend, the architecture, or the standard is unknown, ``arch`` is
            None and there is no device, or the backend cannot limit ``block_size`` or
            ``max_registers``, or instrument code.
        ToolchainError: There is no compiler.
    """

    def __init__(  # noqa: PLR0913 - the settings of a compiler
        self,
        backend: str = AUTOMATIC,
        arch: str | None = None,
        options: Sequence[str] = (),
        *,
        standard: str = "17",
        debug: bool = False,
        cache: bool | None = None,
        block_size: int | None = None,
        max_registers: int | None = None,
        fma: bool = True,
        check: bool | None = None,
        relocatable: bool = False,
    ) -> None:
        choices = tuple(map(str, STANDARDS))
        if str(standard) not in choices:
            raise ConfigurationError(
                f"unsupported standard {standard!r}; expected one of {', '.join(choices)}"
            )
        words = read_options(options)
        hints = gather_hints()
        chosen, named = _choose(backend, arch, hints)
        toolchain = find_toolchain(chosen, hints)
        expanded = chosen.expand_architectures((named,), toolchain, hints)
        if len(expanded) != 1:
            raise ConfigurationError(
                f"architecture {arch!r} stands for {len(expanded)} architectures; a KernelCompiler "
                "takes exactly one"
            )
        self.backend = chosen.TRAITS.name
        self.arch = expanded[0]
        self.toolchain: Toolchain = find_toolchain_for(chosen, self.arch, toolchain, hints)
        self.standard = str(standard)
        self.debug = debug
        self.relocatable = relocatable
        self.cache = choose_cache(requested=cache, options=words)
        limits = list_limit_options(chosen.TRAITS.name, self.arch, block_size, max_registers)
        self.check = _choose_checks(chosen, requested=check)
        separate = () if fma else chosen.TRAITS.separate_operations
        self.flags = DeviceFlags(
            build_options=_DEBUG if debug else _OPTIMIZED, options=(*words, *limits, *separate)
        )

    def __repr__(self) -> str:
        return f"<kernel compiler {self.toolchain.compiler} for {self.backend} {self.arch}>"

    @dumps_modules
    def compile(self, source: str | os.PathLike[str], *, name: str = _TEXT_NAME) -> CompiledModule:
        """Compile a source and return its kernels.

        Args:
            source: A path, or source text.  A string is text if it has a line break or a brace.
            name: The name of source text in messages.

        Raises:
            InputError: The file cannot be read.
            SourceError: The source has no kernels, or has host code.
            ToolError: The compiler fails; the message has its log.
        """
        path, text = read_source(source)
        check_name(name)
        key = self._make_key(path, text, name) if self.cache else ""
        if self.cache and (found := self.cache.find(key, CompiledModule.load)) is not None:
            return found
        started = time.time()
        with tempfile.TemporaryDirectory(prefix="kbuild-compile-") as directory:
            file = path.absolute() if path else Path(directory) / Path(name).name
            if path is None:
                file.write_bytes(text)
            edge = CompileEdge(
                kbuild_version=__version__,
                source=file,
                display_source=str(path) if path else name,
                arch=self.arch,
                device_standard=int(self.standard),
                output=Path(directory) / file.stem,
                toolchain=self.toolchain,
                keep_assembly=True,
                is_checked=self.check,
                relocatable=self.relocatable,
            )
            try:
                outcome = compile_edge(edge, self.flags, is_watched=False)
                module = self._collect(edge, outcome, text)
            except FileNotFoundError as error:
                missing = Path(os.fsdecode(error.filename or "")).name
                raise InputError(
                    f"{edge.display_source}: the compiler succeeded but did not create "
                    f"{missing!r}; remove options that change what it produces"
                ) from error
            if self.cache and (read := list_dependencies(edge, text)) is not None:
                self.cache.store(key, read, module.save, started)
            return module

    @dumps_modules
    def link(self, modules: Sequence[Linkable]) -> CompiledModule:
        """Link relocatable device code, and return its kernels.

        With the CUDA backend, nvJitLink does it. The linked kernels are not compiled again for
        larger blocks.

        Args:
            modules: Modules that were compiled with ``relocatable=True`` for the same architecture,
                and paths of objects, static libraries, and images with such code (``-dc``).

        Raises:
            ConfigurationError: A module cannot be linked.
            InputError: A file cannot be read, or nothing contains a kernel.
            ToolError: The linker fails, for example because nothing defines a function; the
                message has its log.
        """
        from kbuild.runtime.linking import link_modules  # noqa: PLC0415 - few programs link

        return link_modules(modules, self.backend, self.arch, self.flags.options)

    def _make_key(self, path: Path | None, text: bytes, name: str) -> str:
        """Return the inputs that determine the output, except for the content of headers."""
        file = self.toolchain.compiler.stat()
        return hash_key(
            text,
            path.absolute() if path else None,
            str(path) if path else name,
            self.arch,
            self.standard,
            self.check,
            self.relocatable,
            self.flags,
            self.toolchain,
            (file.st_size, file.st_mtime_ns),
        )

    def _collect(self, edge: CompileEdge, outcome: EdgeOutcome, text: bytes) -> CompiledModule:
        compiled = outcome.compiled
        compilation = Compilation(
            source=edge.display_source,
            base_name=edge.output.name,
            backend=self.backend,
            arch=self.arch,
            command=outcome.command.argv,
            compiler=self.toolchain.compiler_id,
            compiler_version=self.toolchain.version,
            log=compiled.log,
            warnings=compiled.warnings,
        )
        assembly = _load_assembly(outcome, compiled.images)
        _require_own_name(edge.source.name, compiled.images, assembly)
        # The directory of the images is temporary, so the record must not name it.
        named = tuple(replace(image, path=Path(image.path.name)) for image in compiled.images)
        files = CompiledFiles(
            compiled=replace(compiled, images=named),
            images=tuple(read_file(image.path) for image in compiled.images),
            text=text,
            arguments=CompileArguments(
                backend=self.backend,
                arch=self.arch,
                options=self.flags.options,
                standard=self.standard,
                debug=self.debug,
            ),
        )
        rows = build_kernel_table(((compiled.source, compiled.images),))
        rows = declare_params(rows, {0: (edge.declarations,)})
        recompiler = self._make_recompiler(edge, compiled.images, assembly)
        return CompiledModule(compilation, files, rows, recompiler)

    def _make_recompiler(
        self,
        edge: CompileEdge,
        images: tuple[DeviceImage, ...],
        assembly: CompiledImage | None,
    ) -> Recompiler | None:
        if assembly is None:
            return None
        real = next((image for image in images if image.kind == "elf"), None)
        if real is None:
            return PortableRecompiler(
                backend=self.backend,
                source=edge.display_source,
                arch=assembly.arch,
                assembly=assembly,
                options=self.flags.options,
            )
        return ToolRecompiler(
            backend=self.backend,
            source=edge.display_source,
            arch=real.arch,
            assembly=assembly,
            toolchain=self.toolchain,
            base_name=edge.output.name,
            options=self.flags.options,
            debug=self.debug,
        )


def _choose(backend: str, arch: str | None, hints: ToolchainHints) -> tuple[Builder, str]:
    """Return the backend, and the architecture to compile for."""
    if arch not in (None, NATIVE):
        return choose_backend(backend, hints), str(arch)
    if backend != AUTOMATIC:
        chosen = choose_backend(backend, hints)
        return chosen, query_architecture(chosen.TRAITS.name)
    *candidates, embedded = list_by_preference()
    for candidate in candidates:
        with contextlib.suppress(ConfigurationError, ToolchainError):
            builder, native = find_builder(candidate), query_architecture(candidate)
            find_toolchain(builder, hints)
            return builder, native
    return find_builder(embedded), query_architecture(embedded)


def _choose_checks(chosen: Builder, *, requested: bool | None) -> bool:
    """Return whether to instrument the code.

    Raises:
        ConfigurationError: The caller requests it, but the backend cannot do it.
    """
    if requested is None:
        return chosen.TRAITS.can_check and CHECK_VARIABLE in select_environment((CHECK_VARIABLE,))
    if requested and not chosen.TRAITS.can_check:
        raise ConfigurationError(
            f"check=True: backend {chosen.TRAITS.name} cannot check device code; use backend "
            f"{find_checking_backend()!r}"
        )
    return requested


def _require_own_name(
    source: str, images: tuple[DeviceImage, ...], assembly: CompiledImage | None
) -> None:
    """Raise ConfigurationError if saving would write an output over the source."""
    names = [image.path.name for image in images]
    if source in (*names, assembly.file_name if assembly else None):
        raise ConfigurationError(
            f"{source}: an output would have the same name; give the source another suffix"
        )


def _load_assembly(outcome: EdgeOutcome, images: tuple[DeviceImage, ...]) -> CompiledImage | None:
    if outcome.assembly is None:
        return None
    data = read_file(outcome.assembly)
    return CompiledImage(
        arch=images[0].arch,
        kind="ptx",
        file_name=outcome.assembly.name,
        sha256=sha256(data),
        data=data,
    )
