"""Dispatches ``kbuild COMMAND``: the one place that catches errors and picks exit codes.

A command is a module of this package with ``HELP``, ``add_arguments(parser)`` and
``run(arguments) -> int``.  Only the module of the command that was called is imported:
build edges start kbuild thousands of times.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from collections.abc import Sequence
from typing import Any, Final, NoReturn

from kbuild import __version__
from kbuild.errors import KbuildError, did_you_mean
from kbuild.process import leave_exit_code

# Command to (module, what `kbuild --help` says of it).
_COMMANDS: Final = {
    "demo": ("demo", "build, verify and smoke-run the saxpy example"),
    "build": ("build", "build the targets of kbuild.toml with CMake and ninja"),
    "clean": ("clean", "remove what kbuild build made"),
    "inspect": ("inspect", "list the device code, kernels and handles of artifacts"),
    "verify": ("verify", "check the symbol layout of artifacts against the rules"),
    "diff": ("diff", "show what changed in the kernels between two builds"),
    "smoke": ("smoke", "launch the kernels of a shared object"),
    "replay": ("replay", "launch a kernel as a launch record has it"),
    "bench": ("bench", "count and time what a launch costs"),
    "explain": ("explain", "say what a rule finds, why it matters and how to mend it"),
    "doctor": ("doctor", "print which toolchains, tools and devices are found"),
    "runtimes": ("runtimes", "[build] write the runtimes' imported targets"),
    "plan": ("plan", "[build edge] plan the edges of a target"),
    "compile": ("compile", "[build edge] compile one source for one architecture"),
    "device-link": ("device_link", "[build edge] link a target's device code"),
    "pack": ("pack", "[build edge] make fat binary, stub unit and headers"),
}
_COLLECTED_FROM: Final = 1 << 20
_USAGE_ERROR: Final = 2
_INTERRUPTED: Final = 130


class _Parser(argparse.ArgumentParser):
    """An argument parser whose complaint is one line, as every other message of ours."""

    def error(self, message: str) -> NoReturn:
        self.exit(_USAGE_ERROR, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    code = _run(words)
    if code != 0:
        leave_exit_code(code)
    return code


def _run(words: list[str]) -> int:
    try:
        if words and words[0] in _COMMANDS:
            return _run_command(words[0], words[1:])
        return _run_options(words)
    except (KbuildError, OSError, KeyboardInterrupt) as error:
        return report_failure(error)


def report_failure(error: KbuildError | OSError | KeyboardInterrupt) -> int:
    """Say in one line what ended the command; its exit code."""
    if isinstance(error, KbuildError):
        print(f"kbuild: error: {error}", file=sys.stderr)
        return error.exit_code
    if isinstance(error, BrokenPipeError):
        # Whoever read our output has seen enough; keep the interpreter from flushing it.
        sys.stderr.close()
        return 1
    if isinstance(error, OSError):
        what = error.filename or "output"
        print(f"kbuild: error: {what}: {error.strerror}", file=sys.stderr)
        return _USAGE_ERROR
    print("kbuild: interrupted", file=sys.stderr)
    return _INTERRUPTED


def _run_command(name: str, words: Sequence[str]) -> int:
    module: Any = importlib.import_module(f"kbuild.cli.commands.{_COMMANDS[name][0]}")
    parser = _Parser(
        prog=f"kbuild {name}",
        description=module.HELP,
        epilog=getattr(module, "EPILOG", None),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    module.add_arguments(parser)
    # Facts are trees that live until the end: looking for cycles in them takes a tenth of all
    # time, and finds none.
    gc.set_threshold(_COLLECTED_FROM)
    code: int = module.run(parser.parse_args(words))
    return code


def _run_options(words: Sequence[str]) -> int:
    width = max(map(len, _COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {what}" for name, (_, what) in _COMMANDS.items())
    parser = _Parser(
        prog="kbuild",
        usage="kbuild COMMAND [OPTIONS]",
        description="GPU kernel sources to artifacts that any host compiler can link.",
        epilog=f"commands:\n{listing}\n\nkbuild COMMAND --help says more.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument(
        "--cmake-dir", action="store_true", help="print the folder with kbuild-config.cmake"
    )
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.command is None:
        parser.error(f"unknown option {rest[0]}")
    if arguments.version:
        print(f"kbuild {__version__}")
    elif arguments.cmake_dir:
        from kbuild import resources  # noqa: PLC0415 - only here

        print(resources.cmake_directory())
    elif arguments.command is not None:
        command = arguments.command
        parser.error(f"unknown command {command!r}{did_you_mean(command, _COMMANDS)}")
    else:
        parser.print_help(sys.stderr)
        return _USAGE_ERROR
    return 0
