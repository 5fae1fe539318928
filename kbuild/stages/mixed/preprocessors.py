"""The preprocessors of both passes of a mixed source, as commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from kbuild import process
from kbuild.backends import find_builder, find_mixed
from kbuild.backends.host_options import group_words
from kbuild.backends.interface.build import CompileUnit
from kbuild.model import Command
from kbuild.stages.edges import CompileEdge, make_unit
from kbuild.stages.mixed.edge import HostEdge, make_host_unit
from kbuild.stages.target import DeviceFlags

_OUTPUT: Final = re.compile(r"-[oEc]")


def describe_preprocessors(
    edge: HostEdge, device: CompileEdge, flags: DeviceFlags
) -> tuple[Command, Command]:
    """Return the preprocessor of the host pass and the one of a device pass.

    Raises:
        ToolError: A tool does not list its steps.
    """
    passes, builder = find_mixed(edge.toolchain.backend), find_builder(edge.toolchain.backend)
    host, unit = make_host_unit(edge, flags), make_unit(device, flags)
    listings = (
        _list_steps(passes.listing_command(host, edge.toolchain)),
        _list_device_steps(builder.listing_command, unit, device),
    )
    return passes.describe_preprocessors(host, unit, device.toolchain, listings)


def _list_device_steps(
    describe: Callable[..., Command] | None, unit: CompileUnit, edge: CompileEdge
) -> str:
    return "" if describe is None else _list_steps(describe(unit, edge.toolchain))


def _list_steps(command: Command | None) -> str:
    if command is None:
        return ""
    result = process.run_checked(command)
    return result.stdout + result.stderr


def print_text(command: Command, drops: re.Pattern[str] = _OUTPUT, *more: str) -> str:
    """Return what a preprocessor prints.

    Args:
        command: The command of the preprocessor, or of a compiler.
        drops: The options that are left out, with their arguments.
        more: The words to append.

    Raises:
        ToolError: The command failed.
    """
    argv = (*_drop_options(command, drops), "-E", *more)
    return process.run_checked(replace(command, argv=argv, inputs=(), outputs=())).stdout


def _drop_options(command: Command, drops: re.Pattern[str]) -> Iterator[str]:
    for group in group_words(command.argv):
        if not drops.fullmatch(group[0]):
            yield from group
