"""Compile the texts that the passes of a source wrote, and join them to one object.

Most of the code of a stub unit is the same for all sources (``kbuild/native/registration.cpp``).
The user's cache has it as an object, so that a call compiles only the tables of its source.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild import files
from kbuild.backends import find_builder
from kbuild.model import Command
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.source import UNNAMED, SourceBuild, list_host_options, list_include_options
from kbuild.nvcc.tools import Tools, find_binutil, run_tool
from kbuild.resources import identify_headers, native_directory
from kbuild.stages.edges import BuildPlan, PackPlan
from kbuild.stages.memory.peaks import reserve_memory
from kbuild.toolchain import store
from kbuild.toolchain.probe import digest_script, identify_program
from kbuild.values import replace

# Handles are 0: the driver makes no debug stubs.
_WITHOUT_STUBS: Final = "-DKBUILD_WITHOUT_STUBS=1"
_ONLY_TABLES: Final = "-DKBUILD_ONLY_TABLES=1"
# What compiling host code is expected to take the first time, in bytes.
_HOST_MEMORY: Final = 1 << 30
_REGISTRATION: Final = "functions of stub units 2"


def compile_object(build: SourceBuild, plan: BuildPlan, output: Path) -> str:
    """Compile the texts that the passes wrote, and join them to one object.

    Returns:
        The warnings of the host compiler.
    """
    (host,) = plan.hosts
    compiled = build.directory / f"{UNNAMED}.host.o"
    stub = build.directory / f"{UNNAMED}.stub.o"
    with reserve_memory(build.source, "host", build.tools.toolchain, _HOST_MEMORY) as note:
        command = describe_text(build, plan, ("-c", str(host.text), "-o", str(compiled)))
        log = run_tool(command) + note
    own = (*plan.pack.stub_options, *hide_directory(build))
    tables = (*own, _ONLY_TABLES)
    log += run_tool(describe_unit(build.invocation, build.tools, plan.pack.stub, stub, tables))
    functions = _find_functions(build, plan.pack)
    joined = build.directory / f"{UNNAMED}.joined.o"
    compiler = str(build.tools.host_compiler)
    machine = (o for o in build.invocation.host_options if o.startswith("-m"))
    parts = (compiled, stub, functions)
    argv = (compiler, "-r", "-nostdlib", *machine, *map(str, parts), "-o", str(joined))
    log += run_tool(Command(argv=argv, inputs=parts, outputs=(joined,)))
    names = build.directory / f"{UNNAMED}.symbols"
    names.write_text("".join(f"{name}\n" for name in _list_private(joined)))
    argv = (find_binutil(build.tools, "objcopy"), f"--localize-symbols={names}", str(joined))
    log += run_tool(Command(argv=argv, inputs=(joined, names), outputs=(joined,)))
    files.write_file(output, files.read_file(joined))
    return log


def _find_functions(build: SourceBuild, pack: PackPlan) -> Path:
    """Write the object with the functions of stub units, which sources with equal options share."""
    output = build.directory / f"{UNNAMED}.functions.o"
    header = find_builder(pack.backend).TRAITS.registration_header
    options = (
        *(*pack.stub_options, f"-DKBUILD_REGISTRATION_HEADER=<{header}>"),
        f'-DKBUILD_TARGET_VISIBILITY="{pack.visibility}"',
    )
    source = native_directory() / "registration.cpp"
    command = describe_unit(build.invocation, build.tools, source, output, options)
    described = replace(command, argv=command.argv[:-1])  # without the output
    key = store.make_key(
        *(_REGISTRATION, identify_headers(), build.tools.toolchain.version),
        identify_program(described),
    )
    # Nobody knows what a script runs.
    is_known = digest_script(build.tools.host_compiler) is None
    content = store.find(key) if is_known else None
    if content is not None:
        output.write_bytes(content)
        return output
    run_tool(command)
    if is_known:
        store.add(key, output.read_bytes())
    return output


def _list_private(path: Path) -> Iterator[str]:
    """List kbuild's own hidden symbols in an object."""
    from kbuild.formats.elf.device import DeviceElf  # noqa: PLC0415 - not every phase reads objects
    from kbuild.formats.elf.headers import read_machine  # noqa: PLC0415 - as above

    data = files.read_file(path)
    elf = DeviceElf(data, read_machine(data), "object")
    for symbol in elf.symbols:
        if symbol.is_hidden and symbol.section:
            name = elf.symbol_name(symbol)
            if name.startswith("kbuild_"):
                yield name


def describe_text(build: SourceBuild, plan: BuildPlan, words: tuple[str, ...]) -> Command:
    """Describe how the host compiler reads the host text.

    Args:
        build: The source.
        plan: Its plan.
        words: What to do, with the names of the files.
    """
    options = (*list_host_options(build.invocation), *plan.host_options)
    return Command(
        argv=(
            *(str(build.tools.host_compiler), "-x", "c++", *options, _WITHOUT_STUBS),
            *list_include_options(build.tools),
            *hide_directory(build),
            *words,
        ),
        inputs=tuple(host.text for host in plan.hosts),
    )


def describe_unit(  # noqa: PLR0913 - what a command consists of
    invocation: Invocation,
    tools: Tools,
    unit: Path,
    output: Path,
    options: tuple[str, ...],
    *,
    step: str = "-c",
) -> Command:
    """Describe how generated host code is compiled, to an object or with another last step."""
    own = tuple(o for o in invocation.host_options if o.startswith(("-m", "-f", "-B", "-W")))
    return Command(
        argv=(
            *(str(tools.host_compiler), step, *own, "-fPIC", *options),
            *(f"-D{definition}" for definition in tools.definitions),
            *(_WITHOUT_STUBS, f"-I{native_directory() / 'include'}"),
            *list_include_options(tools),
            *(str(unit), "-o", str(output)),
        ),
        inputs=(unit,),
        outputs=(output,),
    )


def hide_directory(build: SourceBuild) -> tuple[str, ...]:
    """Return options that keep the directory of intermediate files out of objects."""
    return (f"-ffile-prefix-map={build.directory}{os.sep}=",)
