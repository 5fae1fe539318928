"""Compiles one edge: a kernel source to device images and what is known of their kernels."""

from __future__ import annotations

from dataclasses import dataclass

from kbuild import process, record
from kbuild.backends import find_backend
from kbuild.backends.protocol import Backend, Completion, ImageOutput
from kbuild.model import DeviceImage
from kbuild.project import DeviceFlags
from kbuild.stages.plan import CompileEdge, make_unit


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledSource:
    """What a compile edge made: the images of one source, and the compiler's warnings."""

    source: str
    backend: str
    images: tuple[DeviceImage, ...]
    log: str


def compile_edge(edge: CompileEdge, flags: DeviceFlags) -> CompiledSource:
    """Run the front end and whatever completes its output; write the edge's record last.

    Raises ToolError when a tool fails, SourceError for a source that breaks kbuild's
    rules; the record is not written then.
    """
    backend = find_backend(edge.toolchain.backend)
    unit = make_unit(edge, flags)
    edge.output.parent.mkdir(parents=True, exist_ok=True)
    front_end = backend.compile_command(unit, edge.toolchain)
    log = process.run_checked(front_end).stderr
    completion = backend.complete(unit, front_end.outputs[0].read_bytes(), edge.toolchain)
    _finish(completion)
    compiled = CompiledSource(
        source=edge.display_source,
        backend=backend.NAME,
        images=tuple(_describe(edge, output, backend) for output in completion.images),
        log=log,
    )
    record.write_file(edge.stamp, record.dump(record.IMAGE_SCHEMA, compiled))
    return compiled


def _finish(completion: Completion) -> None:
    if completion.sources:
        from kbuild.stages.render import render  # noqa: PLC0415 - templates load slowly

        for source in completion.sources:
            record.write_file(source.path, render(source.template, source.rows))
    for command in completion.commands:
        process.run_checked(command)


def _describe(edge: CompileEdge, output: ImageOutput, backend: Backend) -> DeviceImage:
    data = output.path.read_bytes()
    return DeviceImage(
        source=edge.display_source,
        arch=output.arch,
        kind=output.kind,
        path=output.path,
        sha256=record.sha256(data),
        size=len(data),
        kernels=backend.read_image(data),
    )
