"""Run a backend's front end: as one command, or step by step with a compiler launcher."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from kbuild import files, process
from kbuild.backends.interface.build import Builder, CompilerLog, CompileUnit, FrontEndStep
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ToolError
from kbuild.model import Command, CommandResult
from kbuild.stages.depfiles import format_depfile, read_depfile
from kbuild.stages.front_end.listing import list_steps
from kbuild.stages.images.reuse import ImageCompile, compile_once
from kbuild.stages.memory.peaks import reserve_memory
from kbuild.stages.mixed.texts import make_tool_error
from kbuild.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEndRun:
    """A finished front-end run: the equivalent command, its output, and its log."""

    command: Command
    output: Path
    log: str


def run_front_end(
    unit: CompileUnit,
    tc: Toolchain,
    builder: Builder,
    launcher: tuple[str, ...],
    *,
    keeps_images: bool = False,
) -> FrontEndRun:
    """Compile ``unit``, through ``launcher`` if there is one and the compiler supports it.

    Args:
        unit: What to compile.
        tc: The toolchain.
        builder: The backend.
        launcher: The prefix of the commands that compiler caches support.
        keeps_images: Whether to keep the results in the user's cache, and to use those in it. It
            needs a compiler that lists its steps.

    Raises:
        ToolError: The front end failed. The message includes a fix if the builder knows one.
    """
    whole = builder.compile_command(unit, tc)
    keeps_images = keeps_images and builder.listing_command is not None
    is_divided = bool(launcher) or keeps_images
    if is_divided:
        _remove_outputs(whole)
    steps = _find_steps(whole, unit, tc, builder, is_divided=is_divided)
    read_log = partial(builder.read_log, unit=unit)
    notes: list[str] = []

    def compile_steps(rest: tuple[FrontEndStep, ...]) -> str:
        unknown = builder.TRAITS.compile_memory
        with reserve_memory(unit.source, unit.arch, tc, unknown, is_measured=not launcher) as note:
            notes.append(note)
            return _run_steps(rest, launcher, read_log)

    if keeps_images and len(steps) > 1 and steps[0].command.outputs:
        log = _run_steps(steps[:1], launcher, read_log)
        log += compile_once(
            _describe_rest(unit, tc, whole, steps),
            lambda: compile_steps(steps[1:]),
            lambda log: read_log(log).text,
        )
    else:
        log = compile_steps(steps)
    log += "".join(notes)
    if launcher:
        _check_outputs(whole, launcher)
        _name_absolutely(unit)
    return FrontEndRun(command=whole, output=whole.outputs[0], log=log)


def _describe_rest(
    unit: CompileUnit, tc: Toolchain, whole: Command, steps: tuple[FrontEndStep, ...]
) -> ImageCompile:
    text = steps[0].command.outputs[0]
    return ImageCompile(
        unit=unit,
        toolchain=tc,
        text=text,
        steps=steps[1:],
        directory=text.parent,
        outputs=tuple(path for path in whole.outputs if path.parent != text.parent),
    )


def _run_steps(
    steps: tuple[FrontEndStep, ...],
    launcher: tuple[str, ...],
    read_log: Callable[[str], CompilerLog],
) -> str:
    """Run steps in order, and return their log."""
    log = ""
    for step in steps:
        result = _run_step(step, launcher)
        if result.returncode != 0:
            raise make_tool_error(result, read_log)
        log += result.stderr
        if step.root is not None:
            _name_relatively(step.command.outputs[0], step.root)
    return log


def _find_steps(
    whole: Command,
    unit: CompileUnit,
    tc: Toolchain,
    builder: Builder,
    *,
    is_divided: bool,
) -> tuple[FrontEndStep, ...]:
    """Return the steps of the front end: one, unless a cache needs several."""
    uncached = (FrontEndStep(command=whole),)
    if not is_divided:
        return uncached
    text = ""
    if builder.listing_command is not None:
        result = list_steps(builder.listing_command, unit, tc)
        if result.returncode != 0:
            return uncached  # it fails with the message that explains the problem
        text = result.stdout + result.stderr
    return builder.cacheable_steps(unit, tc, text) or uncached


def _run_step(step: FrontEndStep, launcher: tuple[str, ...]) -> CommandResult:
    """Run a step through ``launcher``; if the launcher fails, run the step without it."""
    result = process.run(_launch(step, launcher))
    if result.returncode == 0 or not launcher or not step.is_cacheable:
        return result
    # The launcher can fail because of a full disk, a lost server, or the compiler. If the command
    # fails without it, too, then the compiler is the cause.
    alone = process.run(step.command)
    if alone.returncode != 0:
        return alone
    said = (result.stderr.strip() or f"exit status {result.returncode}").splitlines()[-1]
    warning = f"warning: {launcher[0]} failed, so this command ran without it: {said}\n"
    return replace(alone, stderr=warning + alone.stderr)


def _launch(step: FrontEndStep, launcher: tuple[str, ...]) -> Command:
    if not step.is_cacheable or not launcher:
        return step.command
    # A launcher can start a server, which lives longer than a directory for one command.
    return replace(step.command, argv=(*launcher, *step.command.argv), leaves_files=False)


def _remove_outputs(whole: Command) -> None:
    """Remove the outputs of an earlier run, so that they cannot be mistaken for new ones."""
    intermediate = (path for f in whole.directories if f.is_dir() for path in f.iterdir())
    for path in (*whole.outputs, *intermediate):
        files.remove_output(path)


def _check_outputs(whole: Command, launcher: tuple[str, ...]) -> None:
    """Check that the launcher created all outputs; it might have misread a command."""
    for path in whole.outputs:
        if not path.is_file():
            raise ToolError(
                f"{launcher[0]} succeeded but did not create '{path}'; rebuild without the "
                "launcher, or update it"
            )


def _name_relatively(path: Path, root: Path) -> None:
    from kbuild.stages.sources.preprocessed import name_relatively  # noqa: PLC0415 - only caches need it

    path.write_bytes(name_relatively(path.read_bytes(), os.fsencode(root)))


def _name_absolutely(unit: CompileUnit) -> None:
    """Rewrite the depfile for this edge.

    A cache can return the depfile of another edge, with relative paths.
    """
    root = unit.root or Path()
    files = tuple(root / path for path in read_depfile(unit.depfile.read_text()))
    unit.depfile.write_text(format_depfile(unit.stamp, files))
