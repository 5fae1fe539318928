"""Compiles one edge: a kernel source to device images and what is known of their kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from kbuild import files, process, records
from kbuild.backends import find_backend
from kbuild.backends.interface.build import Backend, CompileUnit, Completion, ImageOutput
from kbuild.errors import InputError, SourceError, ToolError
from kbuild.model import Command, CommandResult, DeviceImage, Kernel
from kbuild.stages.edges import CompileEdge, make_unit
from kbuild.stages.freshness import check_prerequisites
from kbuild.stages.front_end import run_front_end
from kbuild.stages.paths import check_characters
from kbuild.stages.target import DeviceFlags


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledSource:
    """What a compile edge made: the images of one source, and what the compiler said."""

    source: str
    backend: str
    images: tuple[DeviceImage, ...]
    log: str
    warnings: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeOutcome:
    """A compile edge that was run: its record, the front end's call, and the assembly it kept."""

    compiled: CompiledSource
    command: Command
    assembly: Path | None


def compile_edge(edge: CompileEdge, flags: DeviceFlags, *, is_watched: bool = True) -> EdgeOutcome:
    """Run the front end and whatever completes its output; write the edge's record last.

    Build tools compile an edge again that ``is_watched`` once a file changed that it read.  Raises
    ToolError when a tool fails, SourceError for a source that breaks kbuild's rules,
    ConfigurationError for a path that some tool misreads; the record is not written then.
    """
    backend = find_backend(edge.toolchain.backend)
    unit = make_unit(edge, flags)
    _check_paths(unit, backend)
    started = files.begin_stamp(edge.stamp)
    edge.output.parent.mkdir(parents=True, exist_ok=True)
    front_end = run_front_end(unit, edge.toolchain, backend, edge.compiler_launcher)
    if is_watched:
        check_prerequisites(unit.depfile)
    log = front_end.log
    completion = backend.complete(unit, front_end.output.read_bytes(), log, edge.toolchain)
    preprocessed = _read_preprocessed(completion)
    finish(completion)
    images = tuple(
        describe_image(edge.display_source, output, backend) for output in completion.images
    )
    _write_declarations(edge, images, preprocessed)
    # Of a device link, a source may hold functions alone.
    if not edge.relocatable and not any(image.kernels for image in images):
        raise SourceError(f"{edge.display_source}: no kernel (no __global__ function) in it")
    compiled = CompiledSource(
        source=edge.display_source,
        backend=backend.NAME,
        images=images,
        log=log,
        warnings=backend.shorten_log(log),
    )
    files.write_stamp(edge.stamp, records.dump(records.IMAGE_SCHEMA, compiled), started)
    return EdgeOutcome(compiled=compiled, command=front_end.command, assembly=completion.assembly)


def _check_paths(unit: CompileUnit, backend: Backend) -> None:
    """Refuse what the backend's tools would take for something else, a command even."""
    misread = backend.MISREAD
    check_characters(unit.source, "source", misread.sources)
    check_characters(unit.display_source, "source", misread.sources)
    check_characters(unit.output, "output", misread.outputs)
    for folder in unit.include_directories:
        check_characters(folder, "include directory", misread.include_directories)


def _read_preprocessed(completion: Completion) -> bytes | None:
    """The text; None where the backend has no need of it, or there is none."""
    if completion.preprocessing is not None:
        process.run(completion.preprocessing)  # where it fails kernels have no names, no more
    if completion.preprocessed is None or not completion.preprocessed.is_file():
        return None
    return completion.preprocessed.read_bytes()


def _write_declarations(
    edge: CompileEdge, images: tuple[DeviceImage, ...], preprocessed: bytes | None
) -> None:
    """Leave the pack edge what the text says of the images' kernels."""
    if preprocessed is None:
        edge.declarations.unlink(missing_ok=True)
        return
    from kbuild.demangle.names import split_function  # noqa: PLC0415 - not every backend needs it
    from kbuild.demangle.stub_names import base_identifier  # noqa: PLC0415 - likewise
    from kbuild.stages.sources.preprocessed import select_kernels  # noqa: PLC0415 - likewise

    displays = (kernel.display for image in images for kernel in image.kernels)
    names = {base_identifier(split_function(display)[0]) for display in displays}
    files.write_file(edge.declarations, select_kernels(preprocessed, sorted(names)))


def finish(completion: Completion, explain: Callable[[str], str] = lambda _: "") -> None:
    """Do what is left, in the order that `Completion` gives.

    Raises ToolError when a tool fails, with the mend that ``explain`` reads off its log.
    """
    if completion.sources:
        from kbuild.stages.render import render  # noqa: PLC0415 - templates load slowly

        for source in completion.sources:
            files.write_file(source.path, render(source.template, source.rows))
    for command in completion.commands:
        result = process.run(command)
        if result.returncode != 0:
            raise ToolError(_describe_failure(result, explain(result.stdout + result.stderr)))
    for origin, destination in completion.moves:
        origin.replace(destination)
    for folder in completion.temporary:
        for path in folder.iterdir():
            path.unlink(missing_ok=True)
        folder.rmdir()


def _describe_failure(result: CommandResult, mend: str) -> str:
    return "\n".join(filter(None, (process.describe_failure(result), mend)))


def describe_image(source: str, output: ImageOutput, backend: Backend) -> DeviceImage:
    """What the finished image of ``source`` at ``output`` holds; InputError if that is unclear."""
    return describe_content(source, output, output.path.read_bytes(), backend)


def describe_content(
    source: str, output: ImageOutput, data: bytes, backend: Backend
) -> DeviceImage:
    """`describe_image` of one whose content is ``data``, wherever it lies."""
    content = backend.read_image(data)
    if content.problems:  # a compiler that this kbuild does not know yet
        problem = content.problems[0]
        raise InputError(f"{output.path}: {problem.where}: {problem.message}")
    return DeviceImage(
        source=source,
        arch=output.arch,
        kind=output.kind,
        path=output.path,
        sha256=files.sha256(data),
        size=len(data),
        kernels=_add_spills(content.kernels, output),
        variables=content.variables,
    )


def _add_spills(kernels: tuple[Kernel, ...], output: ImageOutput) -> tuple[Kernel, ...]:
    spills = {name: (stores, loads) for name, stores, loads in output.spills}
    return tuple(
        replace(
            kernel,
            resources=replace(
                kernel.resources,
                spill_bytes=sum(spills[kernel.name]),
                spill_store_bytes=spills[kernel.name][0],
                spill_load_bytes=spills[kernel.name][1],
            ),
        )
        if kernel.name in spills
        else kernel
        for kernel in kernels
    )
