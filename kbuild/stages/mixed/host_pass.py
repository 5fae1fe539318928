"""Run the host pass of a mixed source: write its host text."""

from __future__ import annotations

from kbuild import files
from kbuild.backends import find_builder, find_mixed
from kbuild.backends.interface.mixed import HostUnit
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.cxx.rewriting.instances import rewrite_host_text
from kbuild.cxx.rewriting.rewrite import list_launches
from kbuild.stages.mixed.diagnosis import diagnose, review
from kbuild.stages.mixed.edge import HostEdge, make_host_unit, read_front_end
from kbuild.stages.mixed.launched import render_launched
from kbuild.stages.mixed.texts import make_text, remove_directories
from kbuild.stages.mixed.tokens import read_host_text
from kbuild.stages.target import DeviceFlags


def run_host_pass(edge: HostEdge, flags: DeviceFlags) -> str:
    """Write the host text of a preprocessed source, and the list of its launches.

    The two files are written only if they change. The stamp is written last.

    Returns:
        Warnings.

    Raises:
        ToolError: A tool failed.
        SourceError: The source contains something that cannot work in a mixed source.
    """
    started = files.begin_stamp(edge.stamp)
    passes = find_mixed(edge.toolchain.backend)
    unit = make_host_unit(edge, flags)
    front_end = read_front_end(edge)
    builder = find_builder(edge.toolchain.backend)
    text, warnings = make_text(front_end, builder)
    code = read_host_text(text, edge.toolchain.compiler)
    with diagnose(code, unit, edge.toolchain, passes, builder):
        rewritten = rewrite_host_text(code, passes.read_host_text(code, unit), edge.module)
    warnings += review(code, unit, edge.toolchain, passes)
    launches = tuple(list_launches(text, rewritten.launched))
    files.write_if_changed(edge.launches, "".join(launches).encode(errors="surrogateescape"))
    host_text, log = _compile(rewritten.text, unit, edge.toolchain)
    end = f'\n#include "{edge.handles.name}"\n'
    end += render_launched(line.partition(" ")[0] for line in launches)
    files.write_if_changed(edge.text, (host_text + end).encode(errors="surrogateescape"))
    remove_directories(front_end.temporary)
    files.write_stamp(edge.stamp, b"", started)
    return warnings + log


def _compile(rewritten: str, unit: HostUnit, tc: Toolchain) -> tuple[str, str]:
    """Return the text for the project's C++ compiler, and the warnings of the backend's compiler.

    If the backend compiles the text itself, this is a file with the assembly.
    """
    passes = find_mixed(tc.backend)
    if passes.compile_host_text is None or passes.read_assembly is None:
        return rewritten, ""
    from kbuild.stages.render import c_string  # noqa: PLC0415 - templates load slowly

    front_end = passes.compile_host_text(unit, tc)
    files.write_file(front_end.commands[0].inputs[0], rewritten.encode(errors="surrogateescape"))
    assembly, log = make_text(front_end, find_builder(tc.backend))
    front_end.text.unlink()
    lines = passes.read_assembly(assembly, unit).split("\n")
    quoted = "\n".join(c_string(f"{line}\n") for line in lines)
    return f"__asm__({quoted});", log
