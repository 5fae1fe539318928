"""What makes the output of an edge stale. This module states the rule, and others supply the parts.

A compile edge, or an edge that preprocesses, runs again if one of these is newer than its stamp:

- its handoff file: all settings, and the versions of kbuild and of the compiler;
- the files that its front end read, which the depfile lists;
- its source, and the flags of its target. The device pass of a mixed source depends on the device
  key instead.

The device key is the part of a mixed source that device code depends on. The edge that preprocesses
the source writes it, only if it changes, from these parts:

- the flags of device code, with what the options of the host mean to it;
- the text of the source without host bodies (`kbuild.stages.sources.device_text`);
- the statements in these bodies that can instantiate device code, with the declarations of their
  variables (`host_body`, `locals`); what can do so follows from the declarations of the project
  (`instantiations`), of the libraries (`libraries`), and from all macros (`macros`);
- the numbers of lines, where device code can contain them.

Ninja compares the times. `is_compiled` and `is_preprocessed` do so only if Ninja has lost its copy
of the depfile: CMake keeps these copies in a directory that scikit-build-core clears in every
isolated build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends.host_options import (
    group_words,
    select_dialect_options,
    select_machine_options,
    select_preprocessor_options,
)
from kbuild.stages.depfiles import format_depfile, read_dependencies, read_depfile
from kbuild.stages.edges import CompileEdge, asks_for_debug
from kbuild.stages.mixed.edge import HostEdge
from kbuild.stages.target import DeviceFlags
from kbuild.values import replace

_LINE_OPTIONS: Final = frozenset(("-lineinfo", "--generate-line-info", "-G", "--device-debug"))


def list_inputs(edge: CompileEdge | HostEdge, flags: Path) -> tuple[Path, ...]:
    """Return the inputs of an edge that its depfile does not list."""
    if isinstance(edge, CompileEdge) and edge.key is not None:
        return edge.key, edge.handoff
    return edge.input, edge.handoff, flags


def is_compiled(edge: CompileEdge, flags: Path) -> bool:
    """Return whether a compile edge has nothing to do."""
    return _is_newest(edge.stamp, edge.depfile, list_inputs(edge, flags))


def is_preprocessed(edge: HostEdge, flags: Path) -> bool:
    """Return whether the edge that preprocesses a mixed source has nothing to do."""
    return _is_newest(edge.preprocessed, edge.depfile, list_inputs(edge, flags))


def _is_newest(stamp: Path, depfile: Path, inputs: tuple[Path, ...]) -> bool:
    """Return whether a stamp is newer than all inputs, as make would."""
    try:
        made = stamp.stat().st_mtime_ns
        read = (*read_depfile(depfile.read_text()), *inputs)
        return all(path.stat().st_mtime_ns < made for path in read)
    except OSError:
        return False


def write_device_key(edge: HostEdge, flags: DeviceFlags, preprocessed: Path) -> None:
    """Write the device key of a mixed source, only if it changes."""
    from kbuild.stages.sources.device_text import select_device_text  # noqa: PLC0415 - only this edge needs it
    from kbuild.stages.sources.included import read_preprocessed  # noqa: PLC0415 - only this edge needs it

    options = (*flags.build_options, *flags.options)
    macros = (
        word.removeprefix("-D")
        for group in group_words((*flags.host_options, *options))
        if group[0].startswith("-D")
        for word in (group[-1],)
    )
    text = select_device_text(
        files.read_file(edge.source).decode(errors="surrogateescape"),
        read_preprocessed(
            preprocessed,
            edge.toolchain.compiler,
            (*macros, *flags.definitions, *edge.definitions),
        ),
        has_lines=asks_for_debug(options) or not _LINE_OPTIONS.isdisjoint(flags.options),
    )
    content = f"{_describe_flags(flags)}\n{text}"
    files.write_if_changed(edge.key, content.encode(errors="surrogateescape"))


def _describe_flags(flags: DeviceFlags) -> str:
    """Return the flags that device code depends on, in one line."""
    host = flags.host_options
    relevant = replace(
        flags,
        host_options=(
            *select_preprocessor_options(host),
            *select_dialect_options(host),
            *select_machine_options(host),
        ),
    )
    return repr(relevant)


def forget_source(edge: CompileEdge) -> None:
    """Remove a mixed source from the depfile of its device pass."""
    kept = tuple(path for path in read_dependencies(edge.depfile) if path != edge.source)
    edge.depfile.write_text(format_depfile(edge.stamp, kept), errors="surrogateescape")
