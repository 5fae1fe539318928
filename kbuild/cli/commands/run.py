"""``kbuild run``: build a program from its sources, and run it."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from kbuild.backends import AUTOMATIC, builder_names, find_checking_backend
from kbuild.cli.arguments import (
    add_color_argument,
    add_cuda_version_argument,
    add_repeatable_argument,
    add_verbose_argument,
)
from kbuild.cli.build_progress import show_build
from kbuild.cli.builds import build_project
from kbuild.cli.checked_run import add_check_arguments, check_arguments, run_checked
from kbuild.cli.foreground import end_as, run_to_end
from kbuild.cli.nvcc_spellings import NvccSettings, divide_words, parse_standard, read_settings
from kbuild.cli.parsers import Parser
from kbuild.errors import ConfigurationError
from kbuild.project.generate import BuildSettings, generate_project, locate_artifact
from kbuild.project.manifest.checks import check_manifest
from kbuild.project.manifest.tables import DEFAULT_STANDARD, TargetTable
from kbuild.project.program import (
    MOST_PROGRAMS,
    copy_program,
    describe_program,
    locate_program,
    remove_old_programs,
)
from kbuild.toolchain.cuda_versions import select_version
from kbuild.toolchain.devices import choose_device

HELP = "Build a program from kernel sources and C++ sources, and run it."
EPILOG = f"""\
Words after -- are the arguments of the program. nvcc's spellings work, too, such as -std=c++20,
-arch=sm_80, -G, -lineinfo, and -Xcompiler -Wall; those for GPUs have no effect on the CPU.
kbuild run ends with the program's exit code, or by
the signal that ends the program. With --check, findings make the exit code 1.
The program is built in kbuild's cache directory, so that the next run only checks for changes.
The cache keeps the {MOST_PROGRAMS} programs that were run last, and all programs of the last hour.
"""
_SEPARATOR: Final = "--"
_ARGUMENTS_HINT: Final = f"the arguments of the program follow {_SEPARATOR}"
_LEVELS: Final = ("0", "1", "2", "3", "s")
# Compilers keep assert() when they optimize, but CMake's release builds remove it.
_KEEP_ASSERTIONS: Final = "-UNDEBUG"
# So that reports of the runtime name the line of the host code that allocated memory.
_LINE_TABLES: Final = "-g1"
# The options that set a key of a target. The sources have no option.
OPTIONS: Final = {
    "architectures": "--arch",
    "backend": "--backend",
    "check": "--check",
    "compile_options": "--device-options",
    "definitions": "-D",
    "device_standard": "--std",
    "host_options": "--host-options",
    "include_directories": "-I",
    "link_directories": "-L",
    "link_libraries": "-l",
    "rdc": "--rdc",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    if isinstance(parser, Parser):
        parser.hint = f"options of the host compiler follow -Xcompiler, {_ARGUMENTS_HINT}; "
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="FILE", help="compile these sources"
    )
    _add_compiler_arguments(parser)
    _add_device_arguments(parser)
    parser.add_argument(
        "-o", type=Path, metavar="PROGRAM", dest="output", help="also write the program to PROGRAM"
    )
    parser.add_argument(
        "--build-only",
        action="store_true",
        help="print the path of the program instead of running it",
    )
    add_cuda_version_argument(parser)
    add_check_arguments(parser)
    add_color_argument(parser)
    add_verbose_argument(parser)


def _add_compiler_arguments(parser: argparse.ArgumentParser) -> None:
    add_repeatable_argument(
        parser, "-I", "DIR", "search DIR for headers", dest="include_directories", type=Path
    )
    add_repeatable_argument(parser, "-D", "NAME[=VALUE]", "define a macro", dest="definitions")
    add_repeatable_argument(parser, "-l", "LIB", "link the library LIB", dest="libraries")
    add_repeatable_argument(
        parser, "-L", "DIR", "search DIR for libraries", dest="library_directories", type=Path
    )
    parser.add_argument(
        "--std",
        default=str(DEFAULT_STANDARD),
        metavar="N",
        help="use C++ standard N (default: %(default)s)",
    )
    parser.add_argument(
        "--host-options",
        default="",
        metavar="OPTS",
        help="pass these options to the host compiler; write --host-options=OPTS",
    )
    parser.add_argument(
        "--device-options",
        default="",
        metavar="OPTS",
        help="pass these options to the device compiler; write --device-options=OPTS",
    )
    parser.add_argument(
        "-O",
        choices=_LEVELS,
        dest="optimization",
        help="optimize host and device code as compilers do with this level "
        "(default: 3, or no optimization with -g)",
    )
    parser.add_argument(
        "-g",
        action="store_true",
        dest="debug",
        help="build host and device code for a debugger",
    )


def _add_device_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--rdc", action="store_true", help="link device code of all sources (relocatable code)"
    )
    add_repeatable_argument(
        parser,
        "--arch",
        "ARCH",
        "build device code for ARCH (default: the architecture of the device)",
        dest="architectures",
    )
    parser.add_argument(
        "--backend",
        choices=(*builder_names(), AUTOMATIC),
        default=AUTOMATIC,
        help="select the backend; without a device, only build (default: one with a usable device, "
        "or else cpu)",
    )


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse the command's own words. Those after ``--`` are the program's arguments."""
    position = words.index(_SEPARATOR) if _SEPARATOR in words else len(words)
    kept, given = divide_words(words[:position], parser._option_string_actions)  # noqa: SLF001
    arguments = parser.parse_intermixed_args(kept)
    arguments.arguments = tuple(words[position + 1 :])
    arguments.nvcc = given
    return arguments


def run(arguments: argparse.Namespace) -> int:
    """Build what changed, and run the program to its end, or print its path.

    Raises:
        ConfigurationError: An argument is wrong, or the backend has no device here. In the second
            case, the program is built.
    """
    _check_output(arguments)
    check_arguments(arguments)
    if arguments.check and arguments.backend == AUTOMATIC:
        arguments.backend = find_checking_backend()
    backend, architecture = _choose_device(arguments.backend)
    spelled = read_settings(arguments.nvcc)
    if arguments.cuda_version:
        select_version(arguments.cuda_version, backend)
    settings = BuildSettings(
        profile="debug" if arguments.debug or spelled.debug else "release",
        optimization=arguments.optimization,
    )
    table = _read_table(arguments, spelled, backend, architecture)
    program = _build(table, settings, is_verbose=arguments.verbose)
    if arguments.verbose:
        _print_executions(program)
    if arguments.output:
        program = copy_program(program, arguments.output.absolute())
    if not arguments.build_only:
        if architecture is None:
            raise ConfigurationError(
                f"--backend {backend}: the program is built, but there is no usable device "
                f"here; run {program} on a machine with a device, or use another backend, for "
                "example --backend cpu"
            )
        argv = (str(program), *arguments.arguments)
        if arguments.check:
            end_as(run_checked(argv, arguments.sources[0].name, arguments), argv)
        run_to_end(argv)
    print(program)
    return 0


def _check_output(arguments: argparse.Namespace) -> None:
    output: Path | None = arguments.output
    if output is not None and output.is_dir():
        raise ConfigurationError(f"-o {output}: expected the path of a file, not of a directory")
    if output is not None and not output.parent.is_dir():
        raise ConfigurationError(f"-o {output}: there is no directory {output.parent}; create it")
    if arguments.build_only and arguments.arguments:
        raise ConfigurationError(
            f"--build-only does not run the program, but there are arguments after {_SEPARATOR}: "
            f"{shlex.join(arguments.arguments)}; remove one of them"
        )


def _build(table: TargetTable, settings: BuildSettings, *, is_verbose: bool) -> Path:
    """Build what changed, and return the path of the program."""
    manifest = describe_program(table)
    directory = locate_program(manifest, settings)
    check_manifest(manifest, directory.root)
    if not directory.is_claimed():
        remove_old_programs(manifest.root)
    project = generate_project(manifest, directory, settings)
    build_project(
        project, directory, show=partial(show_build, is_verbose=is_verbose, is_quiet=True)
    )
    return locate_artifact(directory, manifest.targets[0])


def _print_executions(program: Path) -> None:
    """Print how kernels run the threads of a block, if their backend says so."""
    from kbuild.inspect.paths import inspect_path  # noqa: PLC0415 - loads parsers

    images = (image for facts in inspect_path(program) for image in facts.images)
    executions = {k.display: k.execution for image in images for k in image.kernels if k.execution}
    for display, execution in sorted(executions.items()):
        print(f"{display}: {execution}", file=sys.stderr, flush=True)


def _choose_device(backend: str) -> tuple[str, str | None]:
    """Return the backend, and the architecture of its device, or None without a device."""
    try:
        return choose_device(backend)
    except ConfigurationError:  # a build does not need a device
        return backend, None


def _read_table(
    arguments: argparse.Namespace, spelled: NvccSettings, backend: str, architecture: str | None
) -> TargetTable:
    """Return the settings of the program, with absolute paths."""
    for path in arguments.sources:
        if not path.is_file():
            what = "expected a file, not a directory" if path.is_dir() else "no such file"
            raise ConfigurationError(f"{path}: {what}; {_ARGUMENTS_HINT}")
    own = (architecture,) if architecture else ()
    return TargetTable(
        sources=_make_absolute(arguments.sources),
        kind="executable",
        backend=backend,
        architectures=(*arguments.architectures, *spelled.architectures) or own,
        rdc=arguments.rdc or spelled.rdc,
        check=arguments.check,
        include_directories=_make_absolute(arguments.include_directories),
        definitions=tuple(arguments.definitions),
        compile_options=(
            _KEEP_ASSERTIONS,
            *spelled.translate(backend),
            *shlex.split(arguments.device_options),
        ),
        device_standard=spelled.standard or parse_standard(arguments.std),
        host_options=(
            _KEEP_ASSERTIONS,
            *(() if arguments.debug or spelled.debug else (_LINE_TABLES,)),
            *spelled.host_options,
            *shlex.split(arguments.host_options),
        ),
        link_directories=_list_link_directories(arguments, backend),
        link_libraries=tuple(arguments.libraries),
        verify=False,
    )


def _list_link_directories(arguments: argparse.Namespace, backend: str) -> tuple[str, ...]:
    """Return the user's directories, and those of the toolkit if libraries are linked."""
    own = _make_absolute(arguments.library_directories)
    if not arguments.libraries:
        return own
    from kbuild.nvcc.tools import find_library_directories  # noqa: PLC0415 - loads the driver

    return (*own, *map(str, find_library_directories(backend, arguments.libraries)))


def _make_absolute(paths: Sequence[Path]) -> tuple[str, ...]:
    return tuple(str(path.absolute()) for path in paths)
