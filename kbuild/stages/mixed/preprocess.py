"""Preprocess a mixed source for the host, and write its device key."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

from kbuild import files, process, resources
from kbuild.backends import find_builder, find_mixed
from kbuild.backends.interface.mixed import FrontEnd
from kbuild.stages.depfiles import check_prerequisites
from kbuild.stages.edges import asks_for_debug
from kbuild.stages.mixed.edge import HostEdge, make_host_unit, write_front_end
from kbuild.stages.mixed.texts import run_commands
from kbuild.stages.sources.device_text import select_device_text
from kbuild.stages.sources.included import Preprocessed
from kbuild.stages.target import DeviceFlags

_SYSTEM_DIRECTORIES: Final = (Path("/usr/include"), Path("/usr/lib"), Path("/usr/local"))
# Directories of Python's own headers, and of packages that are installed for Python.
_PYTHON_DIRECTORY: Final = re.compile(r"/(?:(?:site|dist)-packages|include/python\d[\w.]*)/")
_UNESCAPE: Final = re.compile(r"\\(.)")
_LINE_OPTIONS: Final = frozenset(("-lineinfo", "--generate-line-info", "-G", "--device-debug"))


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
    files.write_if_changed(edge.key, _select_key(edge, flags, preprocessed))
    files.write_stamp(edge.preprocessed, b"", started)
    return warnings


def run_preprocessor(edge: HostEdge, flags: DeviceFlags) -> tuple[Path, str]:
    """Write the preprocessed source and the rest of its front end, without a device key.

    Returns:
        The preprocessed source, and the warnings of the preprocessor.

    Raises:
        ToolError: A tool failed.
    """
    front_end = _describe_front_end(edge, flags)
    warnings = run_commands(front_end.commands[:1], find_builder(edge.toolchain.backend))
    write_front_end(edge, replace(front_end, commands=front_end.commands[1:]))
    return front_end.commands[0].outputs[0], warnings


def _describe_front_end(edge: HostEdge, flags: DeviceFlags) -> FrontEnd:
    passes = find_mixed(edge.toolchain.backend)
    unit = make_host_unit(edge, flags)
    command = passes.listing_command(unit, edge.toolchain)
    listing = ""
    if command is not None:
        result = process.run_checked(command)
        listing = result.stdout + result.stderr
    return passes.describe_host_pass(unit, edge.toolchain, listing)


def _select_key(edge: HostEdge, flags: DeviceFlags, preprocessed: Path) -> bytes:
    """Return what the device pass depends on in the source; headers are in its own depfile."""
    toolkit = edge.toolchain.compiler.resolve().parent.parent
    system = (toolkit, resources.native_directory(), *_SYSTEM_DIRECTORIES)
    installed = tuple(f"{directory}/" for directory in system)
    definitions = (*flags.definitions, *edge.definitions)
    macros = (definition.partition("=") for definition in definitions)
    defined = "".join(f"#define {name} {value}\n" for name, _, value in macros).encode()
    found = Preprocessed(
        text=_decode(preprocessed),
        definitions=defined,
        is_project=lambda file: (
            not file.startswith(installed) and not _PYTHON_DIRECTORY.search(file)
        ),
        read_file=_read_included,
    )
    has_lines = asks_for_debug(
        (*flags.build_options, *flags.options)
    ) or not _LINE_OPTIONS.isdisjoint(flags.options)
    text = select_device_text(_decode(edge.source), found, has_lines=has_lines)
    return text.encode(errors="surrogateescape")


def _read_included(file: str) -> bytes:
    """Return the text of a file that a line marker names."""
    path = Path(_UNESCAPE.sub(r"\1", file))
    # Generated headers name files with `#line` that exist only where they were generated.
    return files.read_file(path) if path.is_file() else b""


def _decode(path: Path) -> str:
    return files.read_file(path).decode(errors="surrogateescape")
