"""Check that host and device code of a mixed source are preprocessed with the same macros.

Otherwise, the passes can see different programs, such as structures with different members. The
compilers themselves say which macros they define for the options of a target. They are asked once
per set of options: the user's cache remembers the sets with which the passes agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild import files, process
from kbuild.backends import find_mixed
from kbuild.backends.host_options import find_standard
from kbuild.errors import ConfigurationError
from kbuild.model import Command
from kbuild.stages.edges import CompileEdge
from kbuild.stages.mixed.edge import HostEdge
from kbuild.stages.mixed.preprocessors import describe_preprocessors, print_text
from kbuild.stages.target import DeviceFlags
from kbuild.toolchain import store
from kbuild.values import replace

# The name of no file: with it, the steps of the compilers are those of other sources.
_SOURCE: Final = Path("kbuild-macros.cu")
_EMPTY_FILE: Final = "/dev/null"
_AGREEMENT: Final = "agreement of macros 2"
_DEFINITION: Final = re.compile(r"^#define (\w+)(.*)$", re.MULTILINE)
# What is left out of a command that prints macros: files, and what a preprocessor does with them.
_INCLUDED: Final = re.compile(
    r"(?:-I|-include|-imacros|-isystem|-iquote|-idirafter|-iprefix|-iwithprefix|--include).*"
    rf"|-M.*|-[oEc]|{re.escape(str(_SOURCE))}"
)
_MOST_NAMES: Final = 8
# gcc does not define it with -Wpedantic. Warnings are for host code only.
_OF_WARNINGS: Final = "__cpp_runtime_arrays"


def check_macros(edge: HostEdge, flags: DeviceFlags) -> None:
    """Check that both passes define the same macros, other than a fixed list.

    Raises:
        ConfigurationError: They do not. The message names the macros.
        ToolError: A compiler does not print its macros.
    """
    _check_standard(edge, flags)
    common = replace(edge, source=_SOURCE, display_source=str(_SOURCE), module="", output=_SOURCE)
    commands = describe_preprocessors(common, _make_device_edge(common), flags)
    may_differ = find_mixed(edge.toolchain.backend).PASS_MACROS
    key = _make_key(common, flags, commands, may_differ)
    if store.find(key) is not None:
        return
    different = tuple(_compare(commands, may_differ))
    if different:
        more = len(different) - _MOST_NAMES
        raise ConfigurationError(
            f"{edge.display_source}: host code and device code see different macros: "
            f"{', '.join(different[:_MOST_NAMES])}{f', and {more} more' if more > 0 else ''}; "
            "define them for both, such as with -D or target_compile_definitions()"
        )
    store.add(key, b"")


def _check_standard(edge: HostEdge, flags: DeviceFlags) -> None:
    """Reject an option for a newer standard than the passes have."""
    found = find_standard(flags.host_options)
    if found is not None and found[1] > edge.device_standard:
        option, year = found
        raise ConfigurationError(
            f"{edge.display_source}: option {option} is for host code only, and mixed sources are "
            f"C++{edge.device_standard}; request the standard for both passes, with "
            f"DEVICE_STANDARD {year}, CXX_STANDARD {year}, or -std=c++{year} of nvcc"
        )


def _make_key(
    edge: HostEdge,
    flags: DeviceFlags,
    commands: tuple[Command, Command],
    may_differ: re.Pattern[str],
) -> str:
    """Return a name for everything that macros depend on: the commands, and the compilers."""
    compilers = (_identify(path) for path in (edge.compiler, edge.toolchain.compiler))
    response_files = (
        files.sha256(files.read_file(path))
        for option in flags.host_options
        if option.startswith("@") and (path := Path(option[1:])).is_file()
    )
    parts = (edge, flags, commands, may_differ.pattern, *compilers, *response_files)
    return store.make_key(_AGREEMENT, repr(parts))


def _identify(compiler: Path) -> tuple[str, int, int]:
    found = process.find_program(str(compiler)) or compiler
    status = found.resolve().stat()
    return str(found), status.st_size, status.st_mtime_ns


def _compare(commands: tuple[Command, Command], may_differ: re.Pattern[str]) -> Iterator[str]:
    """Yield a description of each macro that differs."""
    host_pass, device_pass = commands
    host, device = _read_macros(host_pass), _read_macros(device_pass)
    expected = {_OF_WARNINGS, *_list_own(host_pass, device_pass)}
    for name in sorted(host.keys() | device.keys()):
        values = host.get(name), device.get(name)
        if values[0] != values[1] and name not in expected and not may_differ.fullmatch(name):
            yield f"'{name}' ({' and '.join(map(_show, values))})"


def _show(value: str | None) -> str:
    return "not defined" if value is None else f"'{value.strip()}'"


def _make_device_edge(edge: HostEdge) -> CompileEdge:
    """Return the device pass for an architecture. The others differ only in what it defines."""
    return CompileEdge(
        kbuild_version=edge.kbuild_version,
        source=edge.source,
        display_source=edge.display_source,
        arch=edge.architectures[0],
        device_standard=edge.device_standard,
        output=edge.output,
        toolchain=edge.toolchain,
        relocatable=edge.relocatable,
        is_checked=edge.is_checked,
        definitions=edge.definitions,
        architectures=edge.architectures,
        module=edge.module,
        key=edge.key,
    )


def _read_macros(command: Command) -> dict[str, str]:
    """Return the macros that a preprocessor defines without any file."""
    printed = print_text(command, _INCLUDED, "-dM", _EMPTY_FILE)
    return dict(_DEFINITION.findall(printed))


def _list_own(*commands: Command) -> Iterable[str]:
    """List the macros of compilers that differ from each other, as the user requested."""
    compilers = {process.find_program(command.argv[0]) for command in commands}
    if len(compilers) > 1:
        for command in commands:
            argv = (command.argv[0], "-x", "c++")
            yield from _read_macros(replace(command, argv=argv))
