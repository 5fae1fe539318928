"""Make the texts that a pass of a mixed source rewrites."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kbuild import process
from kbuild.backends.interface.build import Builder, CompilerLog
from kbuild.backends.interface.mixed import FrontEnd
from kbuild.errors import ToolError
from kbuild.model import Command, CommandResult
from kbuild.process.diagnostics import select_once


def make_text(front_end: FrontEnd, builder: Builder) -> tuple[str, str]:
    """Run the commands of a front end; return the text that they leave, and their warnings.

    Raises:
        ToolError: A command failed. The message includes a fix if the builder knows one.
    """
    log = run_commands(front_end.commands, builder)
    return front_end.text.read_text(encoding="utf-8", errors="surrogateescape"), log


def run_commands(commands: tuple[Command, ...], builder: Builder) -> str:
    """Run commands in order; return their warnings, or raise ToolError as `make_text` does."""
    log = ""
    for command in commands:
        for directory in command.directories:
            directory.mkdir(parents=True, exist_ok=True)
        result = process.run(command)
        if result.returncode != 0:
            raise make_tool_error(result, builder.read_log)
        log += result.stderr
    return log


def make_tool_error(result: CommandResult, read_log: Callable[[str], CompilerLog]) -> ToolError:
    """Return the error of a failed tool, with the useful part of its log, and the fix if known."""
    log = read_log(result.stdout + result.stderr)
    return process.make_error(result, log=select_once(log.text), fix=log.fix)


def remove_directories(directories: tuple[Path, ...]) -> None:
    """Remove directories of intermediate files, with the files in them."""
    for directory in directories:
        for path in directory.iterdir():
            path.unlink(missing_ok=True)
        directory.rmdir()
