"""``kbuild run``: build a program from its sources, and run it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild.backends import AUTOMATIC, builder_names
from kbuild.cli.arguments import add_repeatable_argument
from kbuild.cli.build_progress import show_build_on_terminal
from kbuild.cli.commands.build import report_waiting
from kbuild.cli.foreground import run_to_end
from kbuild.errors import BuildError, ConfigurationError
from kbuild.project.checks import check_manifest
from kbuild.project.configure import configure_directory
from kbuild.project.directory import hold_lock
from kbuild.project.generate import locate_artifact
from kbuild.project.manifest import read_manifest
from kbuild.project.ninja import NinjaRun, run_ninja
from kbuild.project.program import (
    MOST_PROGRAMS,
    TARGET,
    ProgramSpec,
    copy_program,
    locate_program,
    remove_old_programs,
    write_manifest,
)
from kbuild.project.tools import find_build_tools
from kbuild.toolchain.devices import choose_device

HELP = "Build a program from kernel sources and C++ sources, and run it."
EPILOG = f"""\
Words after -- are the arguments of the program. kbuild run ends with the program's exit code, or by
the signal that ends the program.
The program is built in kbuild's cache directory, so that the next run only checks for changes.
The cache keeps the {MOST_PROGRAMS} programs that were run last, and all programs of the last hour.
"""
_SEPARATOR: Final = "--"
_LEVELS: Final = ("0", "1", "2", "3", "s")
_OPTIONS: Final = {
    "architectures": "--arch",
    "device_standard": "--std",
    "include_directories": "-I",
    "link_directories": "-L",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "sources", nargs="+", type=Path, metavar="FILE", help="compile these sources"
    )
    add_repeatable_argument(
        parser, "-I", "DIR", "search DIR for headers", dest="include_directories", type=Path
    )
    add_repeatable_argument(parser, "-D", "NAME[=VALUE]", "define a macro", dest="definitions")
    add_repeatable_argument(parser, "-l", "LIB", "link the library LIB", dest="libraries")
    add_repeatable_argument(
        parser, "-L", "DIR", "search DIR for libraries", dest="library_directories", type=Path
    )
    parser.add_argument(
        "--std", default=17, type=int, metavar="N", help="use C++ standard N (default: 17)"
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
    parser.add_argument(
        "--backend",
        choices=(*builder_names(), AUTOMATIC),
        default=AUTOMATIC,
        help="select the backend; without a device, only build (default: one with a usable device, "
        "or else cpu)",
    )
    parser.add_argument(
        "-o", type=Path, metavar="PROGRAM", dest="output", help="also write the program to PROGRAM"
    )
    parser.add_argument(
        "--build-only",
        action="store_true",
        help="print the path of the program instead of running it",
    )


def parse(parser: argparse.ArgumentParser, words: Sequence[str]) -> argparse.Namespace:
    """Parse the command's own words. Those after ``--`` are the program's arguments."""
    position = words.index(_SEPARATOR) if _SEPARATOR in words else len(words)
    arguments = parser.parse_intermixed_args(words[:position])
    arguments.arguments = tuple(words[position + 1 :])
    return arguments


def run(arguments: argparse.Namespace) -> int:
    """Build what changed, and run the program to its end, or print its path.

    Raises:
        ConfigurationError: An argument is wrong, or the backend has no device here. In the second
            case, the program is built.
    """
    _check_output(arguments)
    backend, architecture = _choose_device(arguments.backend)
    spec = _describe_program(arguments, backend, architecture)
    program = _build(spec)
    if arguments.output:
        program = copy_program(program, arguments.output.absolute())
    if not arguments.build_only:
        if architecture is None:
            raise ConfigurationError(
                f"--backend {spec.backend}: the program is built, but there is no usable device "
                f"here; run {program} on a machine with a device, or use another backend, for "
                "example --backend cpu"
            )
        run_to_end((str(program), *arguments.arguments))
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


def _build(spec: ProgramSpec) -> Path:
    """Build what changed, and return the path of the program."""
    directory = locate_program(spec)
    tools = find_build_tools()
    if not directory.is_claimed():
        remove_old_programs(directory.root.parent)
    with (
        _naming_arguments(),
        hold_lock(directory, lambda holder: report_waiting(directory, holder)) as lock,
    ):
        manifest = read_manifest(write_manifest(spec, directory))
        check_manifest(manifest, directory.root)
        with show_build_on_terminal() as reporter:
            configure_directory(directory, manifest, spec.settings, tools, reporter.report_line)
            run_ninja(NinjaRun(ninja=tools.ninja, directory=directory.cmake, lock=lock), reporter)
    return locate_artifact(directory, manifest.targets[0])


@contextmanager
def _naming_arguments() -> Iterator[None]:
    """Let errors name the command's arguments instead of keys of the generated manifest."""
    try:
        yield
    except ConfigurationError as error:
        raise ConfigurationError(_name_argument(str(error))) from error
    except BuildError as error:
        raise BuildError(_name_argument(str(error)), error.exit_code) from error


def _name_argument(message: str) -> str:
    _, marker, rest = message.rpartition(f"[target.{TARGET}]")
    if not marker:
        return message
    key, separator, problem = rest.lstrip(".:").partition(": ")
    if key in _OPTIONS and separator:
        return f"{_OPTIONS[key]}: {problem}"
    return problem if key == "sources" else rest.lstrip(".: ")


def _choose_device(backend: str) -> tuple[str, str | None]:
    """Return the backend, and the architecture of its device, or None without a device."""
    try:
        return choose_device(backend)
    except ConfigurationError:  # a build does not need a device
        return backend, None


def _describe_program(
    arguments: argparse.Namespace, backend: str, architecture: str | None
) -> ProgramSpec:
    for path in arguments.sources:
        if not path.is_file():
            what = "expected a file, not a directory" if path.is_dir() else "no such file"
            raise ConfigurationError(f"{path}: {what}")
    own = (architecture,) if architecture else ()
    return ProgramSpec(
        sources=_make_absolute(arguments.sources),
        backend=backend,
        architectures=tuple(arguments.architectures) or own,
        standard=arguments.std,
        include_directories=_make_absolute(arguments.include_directories),
        definitions=tuple(arguments.definitions),
        link_directories=_make_absolute(arguments.library_directories),
        link_libraries=tuple(arguments.libraries),
        host_options=tuple(shlex.split(arguments.host_options)),
        device_options=tuple(shlex.split(arguments.device_options)),
        rdc=arguments.rdc,
        optimization=arguments.optimization,
        debug=arguments.debug,
    )


def _make_absolute(paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(path.absolute() for path in paths)
