"""Run a compile edge: turn a kernel source into device images and describe their kernels."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kbuild import files, process, records
from kbuild.backends import find_backend, find_builder, find_mixed
from kbuild.backends.interface.build import (
    Builder,
    CompilerLog,
    CompileUnit,
    Completion,
    ImageOutput,
)
from kbuild.backends.interface.mixed import Entries
from kbuild.errors import ConfigurationError, InputError, SourceError, ToolError
from kbuild.model import Command, DeviceImage, Kernel
from kbuild.process.diagnostics import drop_columns, select_once
from kbuild.stages.compiler_record import record_compiler
from kbuild.stages.depfiles import check_prerequisites, read_dependencies
from kbuild.stages.edges import CompileEdge, make_unit
from kbuild.stages.freshness import forget_source
from kbuild.stages.front_end.run import FrontEndRun, run_front_end
from kbuild.stages.images import outcomes
from kbuild.stages.mixed.diagnosis import diagnose, review
from kbuild.stages.mixed.edge import name_module
from kbuild.stages.mixed.texts import make_text, make_tool_error, remove_directories
from kbuild.stages.paths import check_characters
from kbuild.stages.target import DeviceFlags
from kbuild.values import dataclass, replace

if TYPE_CHECKING:
    from kbuild.backends.interface.mixed import MixedPasses
    from kbuild.cxx.unit import Unit


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledSource:
    """The result of a compile edge: the images of one source, and the compiler's log.

    ``entries`` are the kernels and variables of a mixed source that its host code refers to.
    ``inline_namespaces`` are the qualified names of the inline namespaces around its kernels.
    """

    source: str
    backend: str
    images: tuple[DeviceImage, ...]
    log: str
    warnings: str
    entries: Entries | None = None
    inline_namespaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeOutcome:
    """A finished compile edge: its record, the front end's command, and the kept assembly."""

    compiled: CompiledSource
    command: Command
    assembly: Path | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _DeviceText:
    """A preprocessed source to rewrite, the backend's passes, and the preprocessor's log."""

    passes: MixedPasses
    code: Unit
    log: str


def compile_edge(edge: CompileEdge, flags: DeviceFlags, *, is_watched: bool = True) -> EdgeOutcome:
    """Run the front end and complete its output; write the edge's record last.

    Args:
        edge: The edge.
        flags: The flags of its target.
        is_watched: Whether a build tool runs the edge again when a file that it read changes.

    Raises:
        ToolError: A tool failed.
        SourceError: The source breaks one of kbuild's rules, or has no kernel.
        ConfigurationError: A tool does not take a path literally.
    """
    builder = find_builder(edge.toolchain.backend)
    unit = make_unit(edge, flags)
    _check_paths(unit, builder)
    started = files.begin_stamp(edge.stamp)
    edge.output.parent.mkdir(parents=True, exist_ok=True)
    text = _read_text(unit, edge)
    key = None
    if text is not None and edge.keeps_images and not (edge.keep_assembly or text.log.strip()):
        key = outcomes.make_key(unit, edge.toolchain, text.code.text)
    outcome = _restore(key, unit, edge, builder) if key is not None else None
    if outcome is None:
        outcome = _compile(text, unit, edge, builder, is_watched=is_watched)
        if key is not None and not outcome.compiled.log.strip():
            images = tuple(image.path for image in outcome.compiled.images)
            outcomes.keep(key, unit, _write_record(outcome), images)
    else:
        _check_depfile(edge, unit, is_watched=is_watched)
    files.write_stamp(edge.stamp, _write_record(outcome), started)
    return outcome


def _write_record(outcome: EdgeOutcome) -> bytes:
    return records.dump(records.IMAGE_SCHEMA, outcome.compiled)


def _check_depfile(edge: CompileEdge, unit: CompileUnit, *, is_watched: bool) -> None:
    """Check what the front end read, without a mixed source, for which its device key stands."""
    if unit.is_mixed:
        forget_source(edge)
    if is_watched:
        check_prerequisites(unit.depfile)


def _restore(
    key: str, unit: CompileUnit, edge: CompileEdge, builder: Builder
) -> EdgeOutcome | None:
    """Write the images that the user's cache has, and return their description."""
    found = outcomes.find(key)
    if found is None:
        return None
    compiled = records.load(records.IMAGE_SCHEMA, CompiledSource, found.record, str(edge.stamp))
    for name, content in found.images:
        files.write_file(edge.output.with_name(name), content)
    edge.declarations.unlink(missing_ok=True)
    images = tuple(
        replace(image, path=edge.output.with_name(image.path.name)) for image in compiled.images
    )
    return EdgeOutcome(
        compiled=replace(compiled, images=images),
        command=builder.compile_command(unit, edge.toolchain),
        assembly=None,
    )


def _compile(
    text: _DeviceText | None,
    unit: CompileUnit,
    edge: CompileEdge,
    builder: Builder,
    *,
    is_watched: bool,
) -> EdgeOutcome:
    """Run the front end, complete its output, and describe the images."""
    backend = edge.toolchain.backend
    rewritten, warnings, front_end = _run_front_end(text, unit, edge, builder)
    _check_depfile(edge, unit, is_watched=is_watched)
    log = warnings + front_end.log
    unit = replace(unit, headers=read_dependencies(edge.depfile))
    completion = builder.complete(unit, front_end.output.read_bytes(), log, edge.toolchain)
    preprocessed = _read_preprocessed(unit, completion)
    if preprocessed is not None and not unit.is_mixed:
        _reject_host_code(unit, preprocessed)
    finish(completion, partial(builder.read_log, unit=unit))
    passes = find_mixed(backend) if unit.is_mixed else None
    entries = passes.read_entries(unit, edge.toolchain) if passes else None
    remove_directories(completion.temporary)
    compiler = record_compiler(unit, edge.toolchain, builder)
    images = tuple(
        replace(describe_image(edge.display_source, output, backend), compiler=compiler)
        for output in completion.images
    )
    _write_declarations(edge, images, None if completion.describes_parameters else preprocessed)
    inline_namespaces = _find_inline_namespaces(images, rewritten.text, preprocessed)
    if rewritten.text is not None and not unit.is_mixed:
        rewritten.text.unlink()
    # With a device link, a source can define device functions only, and a mixed source can contain
    # host code only.
    if not edge.relocatable and not unit.is_mixed and not any(image.kernels for image in images):
        raise SourceError(
            f"{edge.display_source}: no kernel (no __global__ function) in it; add one, or remove "
            "the source from the target"
        )
    compiled = CompiledSource(
        source=edge.display_source,
        backend=backend,
        images=images,
        log=log,
        warnings=builder.read_log(log, unit).text,
        entries=entries,
        inline_namespaces=inline_namespaces,
    )
    return EdgeOutcome(compiled=compiled, command=front_end.command, assembly=completion.assembly)


def _run_front_end(
    text: _DeviceText | None, unit: CompileUnit, edge: CompileEdge, builder: Builder
) -> tuple[CompileUnit, str, FrontEndRun]:
    """Rewrite and compile the source.

    Returns the unit with its rewritten text, the preprocessor's log, and the run.
    """
    if text is None:
        front_end = run_front_end(
            *(unit, edge.toolchain, builder, edge.compiler_launcher),
            keeps_images=edge.keeps_images,
        )
        return unit, "", front_end
    with diagnose(text.code, unit, edge.toolchain, text.passes, builder):
        compiled, front_end = _compile_text(text.passes, text.code, unit, edge, builder)
    # The same line can be in a text several times, with other columns than in its file.
    front_end = replace(front_end, log=drop_columns(select_once(front_end.log)))
    log = text.log + review(text.code, unit, edge.toolchain, text.passes)
    return compiled, log, front_end


def _compile_text(
    passes: MixedPasses, code: Unit, unit: CompileUnit, edge: CompileEdge, builder: Builder
) -> tuple[CompileUnit, FrontEndRun]:
    """Rewrite and compile a text. If a guess about it is wrong, do so again without it."""
    while True:
        rewritten, has_guesses = _rewrite_device_text(passes, code, unit, edge)
        try:
            front_end = run_front_end(rewritten, edge.toolchain, builder, edge.compiler_launcher)
        except ToolError as error:
            if not has_guesses:
                raise
            unit = replace(unit, failures=(*unit.failures, str(error)))
            continue
        found: tuple[tuple[str, int], ...] = ()
        if passes.review_object is not None:
            found = passes.review_object(code, unit, front_end.output.read_bytes())
        if set(found) <= set(unit.findings):
            return rewritten, front_end
        unit = replace(unit, findings=tuple(sorted({*unit.findings, *found})))


def _read_text(unit: CompileUnit, edge: CompileEdge) -> _DeviceText | None:
    """Return the text of the source to rewrite, if the backend needs one."""
    passes = find_backend(edge.toolchain.backend).mixed
    if passes is None or passes.describe_device_pass is None or passes.read_device_text is None:
        return None
    from kbuild.cxx.unit import read_unit  # noqa: PLC0415 - only some backends need it

    front_end = passes.describe_device_pass(unit, edge.toolchain)
    text, log = make_text(front_end, find_builder(edge.toolchain.backend))
    remove_directories(front_end.temporary)
    front_end.text.unlink()
    return _DeviceText(passes=passes, code=read_unit(text), log=log)


def _rewrite_device_text(
    passes: MixedPasses, code: Unit, unit: CompileUnit, edge: CompileEdge
) -> tuple[CompileUnit, bool]:
    """Return the unit with its rewritten text, and whether that depends on guesses."""
    from kbuild.cxx.rewriting.rewrite import rewrite  # noqa: PLC0415 - only some backends need it

    if passes.read_device_text is None:
        return unit, False
    module = edge.module or name_module("", edge.display_source)
    found = passes.read_device_text(code, unit)
    rewritten = rewrite(code, found, module).text
    source = unit.output.with_name(f"{unit.output.name}.cpp")
    content = rewritten.encode(errors="surrogateescape")
    if edge.compiler_launcher and unit.root is not None and not unit.debug:
        from kbuild.stages.sources.preprocessed import name_relatively  # noqa: PLC0415 - only caches need it

        content = name_relatively(content, os.fsencode(unit.root))
    files.write_file(source, content)
    return replace(unit, text=source), found.has_guesses


def _check_paths(unit: CompileUnit, builder: Builder) -> None:
    """Reject paths that the tools would not take literally, or would even run as a command."""
    unsafe = builder.TRAITS.unsafe
    check_characters(unit.source, "source", unsafe.sources)
    check_characters(unit.display_source, "source", unsafe.sources)
    check_characters(unit.output, "output", unsafe.outputs)
    for directory in unit.include_directories:
        check_characters(directory, "include directory", unsafe.include_directories)


def _read_preprocessed(unit: CompileUnit, completion: Completion) -> bytes | None:
    """Read the preprocessed text; None if it is not needed or does not exist."""
    if completion.describes_parameters and (unit.is_mixed or not _seems_to_have_host_code(unit)):
        return None
    printed = ""
    if completion.preprocessing is not None:
        printed = process.run(completion.preprocessing).stdout  # a failure only costs names
    if completion.preprocessed is None:
        return printed.encode(errors="surrogateescape") or None
    return completion.preprocessed.read_bytes() if completion.preprocessed.is_file() else None


def _seems_to_have_host_code(unit: CompileUnit) -> bool:
    """Return whether the source, before preprocessing, seems to define host code."""
    from kbuild.stages.sources.host_code import find_host_code  # noqa: PLC0415 - only some edges need it

    return find_host_code(files.read_file(unit.source)) is not None


def _reject_host_code(unit: CompileUnit, preprocessed: bytes) -> None:
    from kbuild.stages.sources.host_code import find_host_code  # noqa: PLC0415 - only some edges need it

    found = find_host_code(preprocessed)
    if found is not None:
        fix = "__device__" if found.kind == "function" else "__device__ or __constant__"
        raise SourceError(
            f"{unit.display_source}:{found.line}: host {found.kind} '{found.name}' in a kernel "
            "source, which is compiled for devices only; add the file to its target with "
            f"kbuild_target_sources instead of kbuild_add_kernels, or mark the {found.kind} {fix}"
        )


def _write_declarations(
    edge: CompileEdge, images: tuple[DeviceImage, ...], preprocessed: bytes | None
) -> None:
    """Write the declarations of the images' kernels for the pack edge."""
    if preprocessed is None:
        edge.declarations.unlink(missing_ok=True)
        return
    from kbuild.demangle.names import split_function  # noqa: PLC0415 - not every backend needs it
    from kbuild.demangle.stub_names import base_identifier  # noqa: PLC0415 - not every backend needs it
    from kbuild.stages.sources.preprocessed import select_kernels  # noqa: PLC0415 - not every backend needs it

    displays = (kernel.display for image in images for kernel in image.kernels)
    names = {base_identifier(split_function(display)[0]) for display in displays}
    files.write_file(edge.declarations, select_kernels(preprocessed, sorted(names)))


def _find_inline_namespaces(
    images: tuple[DeviceImage, ...], text: Path | None, preprocessed: bytes | None
) -> tuple[str, ...]:
    """Find the inline namespaces around the images' kernels, in the text that was compiled."""
    displays = {kernel.display for image in images for kernel in image.kernels}
    if not any("::" in display for display in displays):
        return ()
    from kbuild.stages.sources.inline_namespaces import find_inline_namespaces  # noqa: PLC0415 - as above

    content = text.read_bytes() if text is not None else preprocessed or b""
    return find_inline_namespaces(content, displays)


def finish(completion: Completion, read_log: Callable[[str], CompilerLog]) -> None:
    """Do the remaining work, in the order that `Completion` gives; keep temporary files.

    Args:
        completion: The work.
        read_log: Reads the log of a tool that failed.

    Raises:
        ToolError: A tool failed. The message includes the fix.
    """
    for path, content in completion.contents:
        files.write_file(path, content)
    if completion.sources:
        from kbuild.stages.render import render  # noqa: PLC0415 - templates load slowly

        for source in completion.sources:
            files.write_file(source.path, render(source.template, source.rows))
    for command in completion.commands:
        result = process.run(command)
        if result.returncode != 0:
            raise make_tool_error(result, read_log)
    if completion.end_image is not None:
        for image in completion.images:
            content = image.path.read_bytes()
            files.write_file(image.path, content + completion.end_image(content))
    for origin, destination in completion.moves:
        origin.replace(destination)


def describe_image(source: str, output: ImageOutput, backend: str) -> DeviceImage:
    """Describe the image of ``source`` at ``output``; raise InputError if it is malformed."""
    return describe_content(source, output, output.path.read_bytes(), backend)


def describe_content(source: str, output: ImageOutput, data: bytes, backend: str) -> DeviceImage:
    """Describe an image with the content ``data``; see `describe_image`."""
    reader = find_backend(backend).read
    if reader is None:
        raise ConfigurationError(f"backend {backend!r} cannot read images")
    content = reader.read_image(data, output.kind)
    if content.problems:  # the compiler is newer than this kbuild
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
