"""The preprocessors of both passes of a mixed source, as commands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final, TypeVar

from kbuild import process
from kbuild.backends import find_builder, find_mixed
from kbuild.backends.host_options import group_words
from kbuild.backends.interface.build import CompileUnit
from kbuild.backends.interface.mixed import HostUnit, MixedPasses
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.model import Command
from kbuild.stages.edges import CompileEdge, make_unit
from kbuild.stages.front_end.listing import list_steps
from kbuild.stages.mixed.edge import HostEdge, make_host_unit
from kbuild.stages.target import DeviceFlags
from kbuild.values import replace

U = TypeVar("U", CompileUnit, HostUnit)

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
    device_listing = ""
    if builder.listing_command is not None:
        device_listing = _list_steps(builder.listing_command, unit, device.toolchain)
    listings = (list_host_steps(passes, host, edge.toolchain), device_listing)
    return passes.describe_preprocessors(host, unit, device.toolchain, listings)


def list_host_steps(passes: MixedPasses, unit: HostUnit, tc: Toolchain) -> str:
    """Return the steps of the host pass as the compiler lists them; empty if it does not.

    Raises:
        ToolError: The command failed.
    """
    return "" if passes.listing_command is None else _list_steps(passes.listing_command, unit, tc)


def _list_steps(describe: Callable[[U, Toolchain], Command], unit: U, tc: Toolchain) -> str:
    result = list_steps(describe, unit, tc)
    if result.returncode != 0:
        raise process.make_error(result)
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
