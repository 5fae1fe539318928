"""Run ``kbuild COMMAND``, catch its errors, and choose the exit code.

A command is a module of `kbuild.cli.commands` with ``HELP``, ``add_arguments(parser)``, and
``run(arguments) -> int``. If its options set keys of a target, ``OPTIONS`` maps the keys to the
options. Only the module of the command that runs is imported, because builds start kbuild thousands
of times.
"""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from typing import Final

from kbuild import __version__
from kbuild.cli.parsers import (
    COMMANDS,
    Parser,
    list_public_commands,
    load_command,
    make_command_parser,
    make_parser,
)
from kbuild.errors import BuildError, InputError, KbuildError, SourceError, ToolError, did_you_mean
from kbuild.process import VERBOSE_VARIABLE, Failure, leave_failure, wants_commands

_GC_THRESHOLD: Final = 1 << 20
_USAGE_ERROR: Final = 2
_INTERRUPTED: Final = 130


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
            import shlex  # noqa: PLC0415 - only these errors

            message += f": {shlex.join(error.command)}"
        else:
            message += f" ({VERBOSE_VARIABLE}=1 shows its command)"
    if isinstance(error, SourceError):
        import re  # noqa: PLC0415 - as above

        # Lines with places begin as the first one.
        message = re.sub(r"(?<=\n)(?=\S[^\n]*?:\d+(?::\d+)?: )", "kbuild: error: ", message)
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
    options = getattr(load_command(words[0]), "OPTIONS", {}) if error.setting else {}
    return f"{options[error.setting]}: " if error.setting in options else ""


def _run_command(name: str, words: Sequence[str]) -> int:
    # Facts are trees that live until the end. Searching them for cycles takes a tenth of the
    # time and finds none. The same applies to imported modules.
    gc.set_threshold(_GC_THRESHOLD)
    parser = make_command_parser(name)
    module = load_command(name)
    parse = getattr(module, "parse", Parser.parse_args)
    code: int = module.run(parse(parser, words))
    return code


def _run_options(words: Sequence[str]) -> int:
    parser = make_parser()
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
        parser.error(f"unknown command {command!r}{did_you_mean(command, list_public_commands())}")
    else:
        parser.print_help(sys.stderr)
        return _USAGE_ERROR
    return 0
