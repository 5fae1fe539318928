"""Preprocess a mixed source for the host, and write its device key."""

from __future__ import annotations

from pathlib import Path

from kbuild import files
from kbuild.backends import find_builder, find_mixed
from kbuild.backends.interface.mixed import FrontEnd
from kbuild.stages.depfiles import check_prerequisites
from kbuild.stages.freshness import write_device_key
from kbuild.stages.mixed.edge import HostEdge, make_host_unit, write_front_end
from kbuild.stages.mixed.macros import check_macros
from kbuild.stages.mixed.preprocessors import list_host_steps
from kbuild.stages.mixed.texts import run_commands
from kbuild.stages.target import DeviceFlags
from kbuild.values import replace


def preprocess_source(edge: HostEdge, flags: DeviceFlags) -> str:
    """Write the preprocessed source and the rest of its front end, which the host pass runs.

    The device key changes only if device code can change, and so does its file.

    Returns:
        The warnings of the preprocessor.

    Raises:
        ToolError: A tool failed.
        ConfigurationError: The name of a header is not taken literally by build tools.
    """
    started = files.begin_stamp(edge.preprocessed)
    preprocessed, warnings = run_preprocessor(edge, flags)
    check_prerequisites(edge.depfile)
    write_device_key(edge, flags, preprocessed)
    files.write_stamp(edge.preprocessed, b"", started)
    return warnings


def run_preprocessor(edge: HostEdge, flags: DeviceFlags) -> tuple[Path, str]:
    """Write the preprocessed source and the rest of its front end, without a device key.

    Returns:
        The preprocessed source, and the warnings of the preprocessor.

    Raises:
        ToolError: A tool failed.
        ConfigurationError: The passes would see different macros.
    """
    check_macros(edge, flags)
    front_end = _describe_front_end(edge, flags)
    warnings = run_commands(front_end.commands[:1], find_builder(edge.toolchain.backend))
    write_front_end(edge, replace(front_end, commands=front_end.commands[1:]))
    return front_end.commands[0].outputs[0], warnings


def _describe_front_end(edge: HostEdge, flags: DeviceFlags) -> FrontEnd:
    passes = find_mixed(edge.toolchain.backend)
    unit = make_host_unit(edge, flags)
    listing = list_host_steps(passes, unit, edge.toolchain)
    return passes.describe_host_pass(unit, edge.toolchain, listing)
