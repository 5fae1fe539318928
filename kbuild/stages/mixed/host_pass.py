"""Run the host pass of a mixed source: write its host text and its device key."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from kbuild import files, process, resources
from kbuild.backends import find_builder, find_mixed
from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cxx.rewrite import LAUNCH_COMMENT, rewrite
from kbuild.stages.depfiles import check_prerequisites, read_dependencies
from kbuild.stages.edges import asks_for_debug
from kbuild.stages.mixed.edge import HostEdge, make_host_unit
from kbuild.stages.mixed.texts import make_text, remove_directories
from kbuild.stages.render import c_string
from kbuild.stages.sources.device_text import select_device_text
from kbuild.stages.target import DeviceFlags

# Headers of the system do not belong to the project.
_SYSTEM_DIRECTORIES: Final = (Path("/usr/include"), Path("/usr/lib"), Path("/usr/local"))
_LINE_OPTIONS: Final = frozenset(("-lineinfo", "--generate-line-info", "-G", "--device-debug"))


def run_host_pass(edge: HostEdge, flags: DeviceFlags) -> str:
    """Write the host text and the device key, only if they change; write the stamp last.

    Returns:
        The warnings of the tools.

    Raises:
        ToolError: A tool failed.
        SourceError: The source contains something that cannot work in a mixed source.
    """
    started = files.begin_stamp(edge.stamp)
    edge.output.parent.mkdir(parents=True, exist_ok=True)
    passes = find_mixed(edge.toolchain.backend)
    unit = make_host_unit(edge, flags)
    command = passes.listing_command(unit, edge.toolchain)
    listing = ""
    if command is not None:
        result = process.run_checked(command)
        listing = result.stdout + result.stderr
    front_end = passes.describe_host_pass(unit, edge.toolchain, listing)
    text, warnings = make_text(front_end, find_builder(edge.toolchain.backend))
    check_prerequisites(edge.depfile)
    found = passes.read_host_text(text, unit)
    rewritten = rewrite(text, found, edge.module, lists_launches=True)
    host_text, log = _compile(rewritten, unit, edge.toolchain)
    warnings += log
    include = f'\n#include "{edge.handles.name}"\n'
    files.write_if_changed(edge.text, (host_text + include).encode(errors="surrogateescape"))
    files.write_if_changed(edge.key, _select_key(edge, flags))
    remove_directories(front_end.temporary)
    files.write_stamp(edge.stamp, b"", started)
    return warnings


def _compile(rewritten: str, unit: HostUnit, tc: Toolchain) -> tuple[str, str]:
    """Return what the project's C++ compiler compiles, and the warnings of the backend's compiler.

    If the backend compiles the text itself, this is a file with the assembly. It also contains the
    comments at the end of the rewritten text.
    """
    passes = find_mixed(tc.backend)
    if passes.compile_host_text is None or passes.read_assembly is None:
        return rewritten, ""
    front_end = passes.compile_host_text(unit, tc)
    files.write_file(front_end.commands[0].inputs[0], rewritten.encode(errors="surrogateescape"))
    assembly, log = make_text(front_end, find_builder(tc.backend))
    front_end.text.unlink()
    lines = passes.read_assembly(assembly, unit).split("\n")
    comments = re.findall(rf"^{re.escape(LAUNCH_COMMENT)}.*$", rewritten, re.MULTILINE)
    quoted = "\n".join(c_string(f"{line}\n") for line in lines)
    return "\n".join((f"__asm__({quoted});", *comments)), log


def _select_key(edge: HostEdge, flags: DeviceFlags) -> bytes:
    """Return what the device pass depends on in the source; headers are in its own depfile."""
    toolkit = edge.toolchain.compiler.resolve().parent.parent
    system = (toolkit, resources.native_directory(), *_SYSTEM_DIRECTORIES)
    headers = {
        str(path): files.read_file(path)
        for path in read_dependencies(edge.depfile)
        if path != edge.source and not any(map(path.is_relative_to, system))
    }
    macros = (definition.partition("=") for definition in flags.definitions)
    headers["-D"] = "".join(f"#define {name} {value}\n" for name, _, value in macros).encode()
    return select_device_text(
        files.read_file(edge.source),
        headers,
        has_lines=asks_for_debug((*flags.build_options, *flags.options))
        or not _LINE_OPTIONS.isdisjoint(flags.options),
    )
