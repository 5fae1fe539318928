"""Compile source text at run time, with the vendor's runtime compiler if one exists."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from kbuild import files, resources
from kbuild.backends import find_backend, find_builder
from kbuild.backends.interface.build import ImageOutput
from kbuild.backends.interface.rtc import RtcOutput, RtcSource, RuntimeCompiler
from kbuild.demangle.names import split_function
from kbuild.demangle.stub_names import base_identifier
from kbuild.runtime.compiling.caching import choose_cache, hash_key, uses_time
from kbuild.runtime.compiling.compiled_module import CompiledFiles, CompiledModule
from kbuild.runtime.compiling.compiler import KernelCompiler
from kbuild.runtime.compiling.includes import find_includes
from kbuild.runtime.compiling.model import (
    Compilation,
    CompileArguments,
    CompiledImage,
)
from kbuild.runtime.compiling.recompilers import RtcRecompiler, require_assembler
from kbuild.stages.compile import CompiledSource, describe_content
from kbuild.stages.sources.parameter_names import declare_from_texts
from kbuild.stages.stubs.kernel_table import build_kernel_table
from kbuild.toolchain.find import gather_hints

_LONGEST_NAME: Final = 100
# Instantiates a template; it is appended, so that the user's lines keep their numbers.
_REFERENCE: Final = "[[gnu::used]] static const void* const kbuild_reference = (const void*)({});"


@dataclass(frozen=True, slots=True, kw_only=True)
class RtcRequest:
    """A compilation at run time.

    Attributes:
        name: The requested kernel: a symbol, a C++ name, or a template with its arguments.
        arch: The architecture, as in ARCHITECTURES.
        debug: Whether to compile without optimization and with debug information.
        cache: Whether to use the kernel cache; None means that the environment decides.
    """

    text: str
    name: str
    options: tuple[str, ...]
    backend: str
    arch: str
    debug: bool = False
    cache: bool | None = None

    @property
    def expression(self) -> str | None:
        """The name if it is a template to instantiate, and otherwise None."""
        return self.name if "<" in self.name and not self.name.startswith("_Z") else None

    @property
    def file_name(self) -> str:
        """The name of the text in the compiler's messages."""
        # Symbols can be longer than file names.
        name = base_identifier(self.name.partition("(")[0])[:_LONGEST_NAME]
        return f"{name or 'kernels'}.cu"


def compile_text(request: RtcRequest) -> tuple[CompiledModule, str]:
    """Compile the text of ``request``.

    Returns:
        The kernels of the text, and the name of the requested one among them.
    """
    compiler = find_backend(request.backend).rtc
    if compiler is None:
        text = request.text
        if request.expression is not None:
            text = f"{text}\n{_REFERENCE.format(request.expression)}\n"
        own = KernelCompiler(
            request.backend,
            request.arch,
            request.options,
            debug=request.debug,
            cache=request.cache,
        )
        module = own.compile(f"{text}\n", name=request.file_name)
        return module, _find_instance(module, request)
    cache = choose_cache(requested=request.cache, options=request.options)
    if cache is None or uses_time(request.text.encode()):
        return _compile_source(compiler, request)
    headers = _find_headers(request.backend)
    key = hash_key(replace(request, cache=None), compiler.read_version(), headers)
    found = cache.find(key, CompiledModule.load)
    if found is not None and found.arguments is not None:
        return found, found.arguments.name or request.name
    started = time.time()
    module, name = _compile_source(compiler, request)
    directories = (resources.native_directory() / "include", *headers)
    read = find_includes(request.text.encode(), request.options, directories)
    if read is not None:
        cache.store(key, read, module.save, started)
    return module, name


def _compile_source(compiler: RuntimeCompiler, request: RtcRequest) -> tuple[CompiledModule, str]:
    output = compiler.compile_source(
        RtcSource(
            text=request.text,
            file_name=request.file_name,
            arch=request.arch,
            options=request.options,
            expression=request.expression,
            include_directories=_find_headers(request.backend),
            debug=request.debug,
        )
    )
    return _collect(request, output), output.symbol or request.name


@cache
def _find_headers(backend: str) -> tuple[Path, ...]:
    """Return the directories of the toolkit's headers, or an empty tuple without a toolkit."""
    runtimes = find_builder(backend).find_runtimes(gather_hints())
    return runtimes[0].include_directories if runtimes else ()


def _find_instance(module: CompiledModule, request: RtcRequest) -> str:
    """Return the name of the requested kernel, however its template arguments are spelled.

    The arguments of the request can be expressions or aliases, which the kernel's name does not
    contain.  Therefore, if the template has exactly one instance, it is the requested one.
    """
    if request.expression is None or request.name in module:
        return request.name
    template = base_identifier(request.name.partition("<")[0]).strip(" &")
    instances = [
        kernel.name
        for kernel in module.values()
        if base_identifier(split_function(kernel.display)[0]) == template
    ]
    return instances[0] if len(instances) == 1 else request.name


def _collect(request: RtcRequest, output: RtcOutput) -> CompiledModule:
    """Return the kernels in the output of a runtime compiler."""
    source = request.file_name
    base_name = Path(source).stem
    found = ImageOutput(
        path=Path(f"{base_name}{output.suffix}"),
        arch=output.arch,
        kind="elf",
        spills=require_assembler(request.backend).read_spills(output.log),
    )
    image = describe_content(source, found, output.image, request.backend)
    compilation = Compilation(
        source=source,
        base_name=base_name,
        backend=request.backend,
        arch=output.arch,
        command=output.command,
        compiler=output.compiler,
        compiler_version=output.version,
        log=output.log,
        warnings=find_builder(request.backend).read_log(output.log).text,
    )
    assembly = CompiledImage(
        arch=output.arch,
        kind="ptx",
        file_name=f"{base_name}.ptx",
        sha256=files.sha256(output.assembly),
        data=output.assembly,
    )
    text = request.text.encode()
    compiled = CompiledFiles(
        compiled=CompiledSource(
            source=source,
            backend=request.backend,
            images=(image,),
            log=output.log,
            warnings=compilation.warnings,
        ),
        images=(output.image,),
        text=text,
        arguments=CompileArguments(
            backend=request.backend,
            arch=output.arch,
            options=request.options,
            debug=request.debug,
            name=output.symbol or request.name,
        ),
    )
    rows = declare_from_texts(build_kernel_table(((source, (image,)),)), {0: (text,)})
    recompiler = RtcRecompiler(
        backend=request.backend,
        source=source,
        arch=output.arch,
        options=output.options,
        assembly=assembly,
    )
    return CompiledModule(compilation, compiled, rows, recompiler)
