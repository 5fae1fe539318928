"""Runs a backend's front end: as one call, or by its steps with a compiler launcher in front."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from kbuild import process
from kbuild.backends.interface.build import Backend, CompileUnit, FrontEndStep, Toolchain
from kbuild.errors import ToolError
from kbuild.model import Command, CommandResult
from kbuild.stages.freshness import format_depfile, read_depfile


@dataclass(frozen=True, slots=True, kw_only=True)
class FrontEndRun:
    """A front end that ran: the call that its steps come to, its output, what it said."""

    command: Command
    output: Path
    log: str


def run_front_end(
    unit: CompileUnit, tc: Toolchain, backend: Backend, launcher: tuple[str, ...]
) -> FrontEndRun:
    """Compile ``unit``, by ``launcher`` where there is one and the backend's compiler allows it.

    Raises ToolError when the front end fails, with the mend where the backend knows one.
    """
    whole = backend.compile_command(unit, tc)
    log = ""
    if launcher:
        _remove_outputs(whole)
    for step in _find_steps(whole, unit, tc, backend, launcher):
        result = _run_step(step, launcher)
        if result.returncode != 0:
            mend = backend.explain_failure(unit, result.stderr)
            raise ToolError("\n".join(filter(None, (process.describe_failure(result), mend))))
        log += result.stderr
        if step.root is not None:
            _name_relatively(step.command.outputs[0], step.root)
    if launcher:
        _check_outputs(whole, launcher)
        _name_absolutely(unit)
    return FrontEndRun(command=whole, output=whole.outputs[0], log=log)


def _find_steps(
    whole: Command,
    unit: CompileUnit,
    tc: Toolchain,
    backend: Backend,
    launcher: tuple[str, ...],
) -> tuple[FrontEndStep, ...]:
    """The steps of the front end: one, but where a launcher would not know the call."""
    uncached = (FrontEndStep(command=whole),)
    if not launcher:
        return uncached
    listing, text = backend.listing_command(unit, tc), ""
    if listing is not None:
        result = process.run(listing)
        if result.returncode != 0:
            return uncached  # which says itself what is wrong
        text = result.stdout + result.stderr
    return backend.cacheable_steps(unit, tc, text) or uncached


def _run_step(step: FrontEndStep, launcher: tuple[str, ...]) -> CommandResult:
    """The step by ``launcher``, and without it where it fails for reasons of its own."""
    result = process.run(_launch(step, launcher))
    if result.returncode == 0 or not launcher or not step.is_cacheable:
        return result
    # A full disk, a server that is gone, or the compiler itself: the call alone tells.
    alone = process.run(step.command)
    if alone.returncode != 0:
        return alone
    said = (result.stderr.strip() or f"exit status {result.returncode}").splitlines()[-1]
    warning = f"warning: {launcher[0]} failed, and was left out of this call: {said}\n"
    return replace(alone, stderr=warning + alone.stderr)


def _launch(step: FrontEndStep, launcher: tuple[str, ...]) -> Command:
    if not step.is_cacheable:
        return step.command
    return replace(step.command, argv=(*launcher, *step.command.argv))


def _remove_outputs(whole: Command) -> None:
    """So that nothing of an earlier run passes for this one's."""
    intermediate = (path for f in whole.folders if f.is_dir() for path in f.iterdir())
    for path in (*whole.outputs, *intermediate):
        path.unlink(missing_ok=True)


def _check_outputs(whole: Command, launcher: tuple[str, ...]) -> None:
    """A launcher that misreads a call may end well and leave nothing."""
    for path in whole.outputs:
        if not path.is_file():
            raise ToolError(
                f"{launcher[0]} ended well, but left no {path}; build without it, or update it"
            )


def _name_relatively(path: Path, root: Path) -> None:
    from kbuild.stages.sources.preprocessed import name_relatively  # noqa: PLC0415 - caches alone need it

    path.write_bytes(name_relatively(path.read_bytes(), os.fsencode(root)))


def _name_absolutely(unit: CompileUnit) -> None:
    """Have the depfile be of this very edge: a cache may hold another's, and paths be relative."""
    root = unit.root or Path()
    files = tuple(root / path for path in read_depfile(unit.depfile.read_text()))
    unit.depfile.write_text(format_depfile(unit.stamp, files))
