"""``kbuild run``: build a program from its sources, and run it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NoReturn

from kbuild import process
from kbuild.backends import AUTOMATIC, builder_names
from kbuild.cli.arguments import add_repeatable_argument
from kbuild.cli.build_progress import show_build_on_terminal
from kbuild.cli.commands.build import report_waiting
from kbuild.errors import ConfigurationError
from kbuild.project.checks import check_manifest
from kbuild.project.configure import configure_directory
from kbuild.project.directory import hold_lock
from kbuild.project.generate import BuildSettings, locate_artifact
from kbuild.project.manifest import PROFILES, read_manifest
from kbuild.project.ninja import NinjaRun, run_ninja
from kbuild.project.program import (
    MOST_PROGRAMS,
    TARGET,
    ProgramSpec,
    locate_program,
    remove_old_programs,
    write_manifest,
)
from kbuild.project.tools import find_build_tools
from kbuild.toolchain.devices import choose_device

HELP = "Build a program from kernel sources and C++ sources, and run it."
EPILOG = f"""\
Words after -- are the arguments of the program. kbuild run ends with the program's exit code.
The program is built in kbuild's cache directory, so that the next run only checks for changes.
The cache keeps the {MOST_PROGRAMS} programs that were run last, and all programs of the last hour.
"""
_SEPARATOR: Final = "--"
_OPTIONS: Final = {
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
    arguments = parser.parse_intermixed_args(words[:position])
    arguments.arguments = tuple(words[position + 1 :])
    return arguments


def run(arguments: argparse.Namespace) -> NoReturn:
    """Build what changed, and replace this process by the program.

    Raises:
        ConfigurationError: An argument is wrong, or the backend has no device here. In the second
            case, the program is built.
    """
    spec = _describe_program(arguments)
    directory = locate_program(spec)
    tools = find_build_tools()
    if not directory.is_claimed():
        remove_old_programs(directory.root.parent)
    with hold_lock(directory, lambda holder: report_waiting(directory, holder)) as lock:
        with _naming_arguments():
            manifest = read_manifest(write_manifest(spec, directory))
            check_manifest(manifest, directory.root)
        settings = BuildSettings(profile=PROFILES[0])
        with show_build_on_terminal() as reporter:
            configure_directory(directory, manifest, settings, tools, reporter.report_line)
            run_ninja(NinjaRun(ninja=tools.ninja, directory=directory.cmake, lock=lock), reporter)
    program = locate_artifact(directory, manifest.targets[0])
    if spec.architecture is None:
        raise ConfigurationError(
            f"--backend {spec.backend}: the program is built, but there is no usable device here; "
            f"run {program} on a machine with a device, or use another backend, for example "
            "--backend cpu"
        )
    process.replace_process((str(program), *arguments.arguments))


@contextmanager
def _naming_arguments() -> Iterator[None]:
    """Let errors name the command's arguments instead of keys of the generated manifest."""
    try:
        yield
    except ConfigurationError as error:
        _, _, message = str(error).rpartition(f"[target.{TARGET}]")
        key, separator, rest = message.lstrip(".:").partition(": ")
        if not separator:
            raise
        words = f"{_OPTIONS[key]}: {rest}" if key in _OPTIONS else message.lstrip(".: ")
        raise ConfigurationError(rest if key == "sources" else words) from error


def _describe_program(arguments: argparse.Namespace) -> ProgramSpec:
    for path in arguments.sources:
        if not path.is_file():
            what = "expected a file, not a directory" if path.is_dir() else "no such file"
            raise ConfigurationError(f"{path}: {what}")
    architecture: str | None
    try:
        backend, architecture = choose_device(arguments.backend)
    except ConfigurationError:  # no device, which a build does not need
        backend, architecture = arguments.backend, None
    return ProgramSpec(
        sources=_make_absolute(arguments.sources),
        backend=backend,
        architecture=architecture,
        standard=arguments.std,
        include_directories=_make_absolute(arguments.include_directories),
        definitions=tuple(arguments.definitions),
        link_directories=_make_absolute(arguments.library_directories),
        link_libraries=tuple(arguments.libraries),
        host_options=tuple(shlex.split(arguments.host_options)),
        device_options=tuple(shlex.split(arguments.device_options)),
        rdc=arguments.rdc,
    )


def _make_absolute(paths: Sequence[Path]) -> tuple[Path, ...]:
    return tuple(path.absolute() for path in paths)
