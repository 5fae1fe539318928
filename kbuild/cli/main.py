"""Run ``kbuild COMMAND``, catch its errors, and choose the exit code.

A command is a module of `kbuild.cli.commands` with ``HELP``, ``add_arguments(parser)``, and
``run(arguments) -> int``. If its options set keys of a target, ``OPTIONS`` maps the keys to the
options. Only the module of the command that runs is imported, because builds start kbuild thousands
of times.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import os
import shlex
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, Final, NoReturn

from kbuild import __version__
from kbuild.errors import BuildError, InputError, KbuildError, ToolError, did_you_mean
from kbuild.process import VERBOSE_VARIABLE, Failure, leave_failure, wants_commands

# Maps each command to its module and its description in `kbuild --help`.
COMMANDS: Final = {
    "demo": ("demo", "build, verify, and run the saxpy example"),
    "build": ("build", "build the targets of kbuild.toml with CMake and ninja"),
    "config": ("config", "print the compiler options with which kernels are used"),
    "clean": ("clean", "remove what kbuild build made"),
    "run": ("run", "build a program from kernel sources and C++ sources, and run it"),
    "nvcc": ("nvcc", "take the place of nvcc in builds that call it"),
    "inspect": ("inspect", "list the device code, kernels, and handles of artifacts"),
    "verify": ("verify", "check artifacts against the rules and a policy"),
    "diff": ("diff", "show what changed in the kernels between two builds"),
    "smoke": ("smoke", "launch the kernels of a shared object"),
    "replay": ("replay", "replay a recorded launch"),
    "bench": ("bench", "measure the cost of a launch"),
    "explain": ("explain", "explain what a rule reports, why it matters, and how to fix it"),
    "doctor": ("doctor", "list the toolchains, tools, and devices that kbuild finds"),
    "runtimes": ("edges.runtimes", "[internal] write the runtimes' imported targets"),
    "plan": ("edges.plan", "[internal] plan the edges of a target"),
    "preprocess": ("edges.preprocess", "[internal] preprocess one mixed source"),
    "host-pass": ("edges.host_pass", "[internal] write the host text of one mixed source"),
    "compile": ("edges.compile", "[internal] compile one source for one architecture"),
    "device-link": ("edges.device_link", "[internal] link a target's device code"),
    "pack": ("edges.pack", "[internal] write the fat binary, stub unit, and headers of a target"),
}
_GC_THRESHOLD: Final = 1 << 20
_EDGE_WIDTH: Final = 100
_USAGE_ERROR: Final = 2
_INTERRUPTED: Final = 130


class _Parser(argparse.ArgumentParser):
    """An argument parser that reports an error in one line, as kbuild reports all errors."""

    def error(self, message: str) -> NoReturn:
        self.exit(_USAGE_ERROR, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if words and words[0] in COMMANDS:
            failure = Failure(exit_code=_run_command(words[0], words[1:]))
        else:
            failure = Failure(exit_code=_run_options(words))
        _flush()
    except (KbuildError, OSError, KeyboardInterrupt) as error:
        failure = _report_failure(error, words)
        _drop_output()
    if failure.exit_code != 0:
        leave_failure(failure)
    return failure.exit_code


def _flush() -> None:
    """Write the output, so that an error such as a full disk has a message."""
    if sys.__stdout__ is not None:  # closed by the parent process
        sys.__stdout__.flush()


def _drop_output() -> None:
    """Write what is left of the output, or keep the interpreter from trying it again."""
    try:
        _flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def stand_in() -> int:
    """Run ``kbuild nvcc``: the program ``kbuild-nvcc``."""
    return main(("nvcc", *sys.argv[1:]))


def _report_failure(
    error: KbuildError | OSError | KeyboardInterrupt, words: Sequence[str]
) -> Failure:
    """Print the error that ended the command, and return its description."""
    if isinstance(error, KbuildError):
        _print_error(error, words)
        return Failure(
            exit_code=error.exit_code,
            message=error.message if isinstance(error, ToolError) else str(error),
            setting=error.setting,
            target=error.target,
        )
    if isinstance(error, BrokenPipeError):
        # The reader of our output has closed it. Keep the interpreter from writing more.
        sys.stderr.close()
        return Failure(exit_code=1)
    if isinstance(error, OSError):
        what = error.filename or "output"
        print(f"kbuild: error: {what}: {error.strerror}", file=sys.stderr)
        return Failure(exit_code=_USAGE_ERROR)
    print("kbuild: interrupted", file=sys.stderr)
    return Failure(exit_code=_INTERRUPTED)


def _print_error(error: KbuildError, words: Sequence[str]) -> None:
    """Print an error. That of a tool begins with what the tool printed, which has places."""
    if isinstance(error, BuildError) and error.is_reported:
        return
    message = _format_message(error, words)
    if isinstance(error, ToolError) and error.log:
        print(error.log, file=sys.stderr)
    if isinstance(error, ToolError) and error.command:
        if wants_commands() or not {"-v", "--verbose"}.isdisjoint(words):
            message += f": {shlex.join(error.command)}"
        else:
            message += f" ({VERBOSE_VARIABLE}=1 shows its command)"
    print(f"kbuild: error: {message}", file=sys.stderr)


def _format_message(error: KbuildError, words: Sequence[str]) -> str:
    """Return the message, without the control characters that a forged file can contain."""
    from kbuild.report.layout import make_one_line, make_printable  # noqa: PLC0415 - only errors

    text = error.message if isinstance(error, ToolError) else error
    message = f"{_name_setting(error, words)}{text}"
    if isinstance(error, InputError):
        return make_one_line(message)
    return make_printable(message, kept="\n\t")


def _name_setting(error: KbuildError, words: Sequence[str]) -> str:
    """Return where the user wrote the setting that is wrong: an option, or a key of a file."""
    if error.manifest is not None and error.target is not None:
        key = f".{error.setting}" if error.setting else ""
        return f"{error.manifest}: [target.{error.target}]{key}: "
    options = getattr(_load_command(words[0]), "OPTIONS", {}) if error.setting else {}
    return f"{options[error.setting]}: " if error.setting in options else ""


def _load_command(name: str) -> Any:
    return importlib.import_module(f"kbuild.cli.commands.{COMMANDS[name][0]}")


def _run_command(name: str, words: Sequence[str]) -> int:
    # Facts are trees that live until the end. Searching them for cycles takes a tenth of the
    # time and finds none. The same applies to imported modules.
    gc.set_threshold(_GC_THRESHOLD)
    module = _load_command(name)
    # To find the width of the terminal, argparse imports shutil, even without --help.
    width = _EDGE_WIDTH if COMMANDS[name][0].startswith("edges.") else None
    parser = _Parser(
        prog=f"kbuild {name}",
        description=module.HELP,
        epilog=getattr(module, "EPILOG", None),
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, width=width),
    )
    module.add_arguments(parser)
    parse = getattr(module, "parse", _Parser.parse_args)
    code: int = module.run(parse(parser, words))
    return code


def _run_options(words: Sequence[str]) -> int:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {what}" for name, (_, what) in COMMANDS.items())
    parser = _Parser(
        prog="kbuild",
        usage="kbuild COMMAND [OPTIONS]",
        description="Turn GPU kernel sources into artifacts that any host compiler can link.",
        epilog=f"commands:\n{listing}\n\nRun kbuild COMMAND --help for the options of a command.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    parser.add_argument(
        "--cmake-dir", action="store_true", help="print the directory of kbuild-config.cmake"
    )
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    arguments, rest = parser.parse_known_args(words)
    if rest and arguments.command is None:
        parser.error(f"unknown option {rest[0]}")
    if arguments.version:
        print(f"kbuild {__version__}")
    elif arguments.cmake_dir:
        from kbuild import resources  # noqa: PLC0415 - only this option needs it

        print(resources.cmake_directory())
    elif arguments.command is not None:
        command = arguments.command
        parser.error(f"unknown command {command!r}{did_you_mean(command, COMMANDS)}")
    else:
        parser.print_help(sys.stderr)
        return _USAGE_ERROR
    return 0
