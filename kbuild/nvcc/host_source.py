"""Write the source for the host compiler alone (``-cuda``), which makes a whole object of it.

The source is the host text without directives, and the stub unit as assembly. As C++, both would
define some names twice, and the options of the project would apply to the stub unit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import files, process
from kbuild.nvcc.depfile import write_depfile
from kbuild.nvcc.objects import describe_text, describe_unit, hide_directory
from kbuild.nvcc.source import UNNAMED, SourceBuild, make_flags, plan_source, run_passes
from kbuild.nvcc.tools import run_tool
from kbuild.stages.edges import BuildPlan
from kbuild.stages.render import c_string

_DIRECTIVE: Final = re.compile(r"\s*\.(?P<name>[\w.]+)\s*(?P<rest>.*)")
_LABEL: Final = re.compile(r"([A-Za-z_.$][\w.$]*):")
_NAME: Final = re.compile(r"(?<![\w.$])[A-Za-z_.$][\w.$]*")
_INCLUDED: Final = re.compile(r'"((?:\\.|[^"\\])*)"(?:\s*,\s*(\d+)\s*,\s*(\d+))?')
_STRINGS: Final = ("string", "ascii", "asciz")
_GLOBAL: Final = ("globl", "global", "weak")
_DEFINING: Final = ("local", "set")
# What compilers say about a whole file.
_OF_FILES: Final = ("file", "ident", "addrsig", "addrsig_sym")
_STACK: Final = ".note.GNU-stack"
_OWN: Final = "kbuild_"
_SUFFIX: Final = ".kbuild"
_BYTES_PER_LINE: Final = 64


def write_host_source(build: SourceBuild, output: Path) -> str:
    """Write the source.

    Returns:
        The warnings of the tools.

    Raises:
        ToolError: A tool failed.
        SourceError: The source contains something that cannot work.
    """
    plan, log = run_passes(build, plan_source(build), make_flags(build))
    (host,) = plan.hosts
    text = process.run_checked(describe_text(build, plan, ("-E", str(host.text)))).stdout
    assembly = "".join(f"{c_string(line)}\n" for line in _list_lines(build, plan))
    content = f"{text}\n__asm__(\n{assembly});\n"
    files.write_file(output, content.encode(errors="surrogateescape"))
    write_depfile(build.invocation, output, plan)
    return log


def _list_lines(build: SourceBuild, plan: BuildPlan) -> Iterator[str]:
    """Yield the lines of the stub unit, with the files that it includes."""
    path = build.directory / f"{UNNAMED}.stub.s"
    options = (*plan.pack.stub_options, "-g0", *hide_directory(build))
    unit = plan.pack.stub
    run_tool(describe_unit(build.invocation, build.tools, unit, path, options, step="-S"))
    lines = path.read_text(errors="surrogateescape").splitlines()
    yield "\t.pushsection .text\n"
    for line in _separate(lines):
        yield f"{line}\n"
    yield "\t.popsection\n"


def _separate(lines: list[str]) -> Iterator[str]:
    """Yield the lines of a unit that is a part of another one.

    Its local symbols get names of their own, and what other units must not see becomes local.
    """
    symbols = [_read_directive(line) for line in lines]
    shared = {rest for name, rest in symbols if name in _GLOBAL}
    hidden = {rest for name, rest in symbols if name == "hidden"}
    defined = {found[1] for line in lines if (found := _LABEL.match(line))}
    defined |= {rest.partition(",")[0].strip() for name, rest in symbols if name in _DEFINING}
    private = {name for name in defined & shared & hidden if name.startswith(_OWN)}
    local = defined - shared
    for line, (name, rest) in zip(lines, symbols, strict=True):
        is_dropped = name in _OF_FILES or (name == "section" and rest.startswith(_STACK))
        if is_dropped or (name in _GLOBAL and rest in private):
            continue
        if name == "incbin":
            yield from _include(rest)
        elif name in _STRINGS:
            yield line
        else:
            yield _NAME.sub(lambda m: f"{m[0]}{_SUFFIX}" if m[0] in local else m[0], line)


def _read_directive(line: str) -> tuple[str, str]:
    """Return the name and the operands of a directive; empty for other lines."""
    found = _DIRECTIVE.fullmatch(line)
    return (found["name"], found["rest"].strip()) if found else ("", "")


def _include(operands: str) -> Iterator[str]:
    """Yield the content of a file, or a part of it."""
    found = _INCLUDED.match(operands)
    if found is None:
        raise ValueError(f".incbin {operands}")
    content = files.read_file(Path(re.sub(r"\\(.)", r"\1", found[1])))
    if found[2]:
        content = content[int(found[2]) :][: int(found[3])]
    for start in range(0, len(content), _BYTES_PER_LINE):
        yield f"\t.byte {','.join(map(str, content[start : start + _BYTES_PER_LINE]))}"
