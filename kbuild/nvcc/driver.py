"""An invocation that runs, and how it runs commands."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from kbuild.backends.interface.build import CompilerLog
from kbuild.model import Command
from kbuild.nvcc import answers
from kbuild.nvcc.invocation import Invocation
from kbuild.nvcc.tools import Tools
from kbuild.process import run
from kbuild.stages.mixed.texts import make_tool_error
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """An invocation that runs.

    Attributes:
        invocation: The command line.
        tools: The tools.
        directory: The directory of intermediate files.
        show: Shows a text to the user, beside the output.
        write: Writes to the standard output.
    """

    invocation: Invocation
    tools: Tools
    directory: Path
    show: Callable[[str], object]
    write: Callable[[bytes], object]


def _keep_log(log: str) -> CompilerLog:
    return CompilerLog(text=log)


def run_shown(
    driver: Driver, command: Command, read_log: Callable[[str], CompilerLog] = _keep_log
) -> None:
    """Run a command, or only show it.

    Args:
        driver: The driver.
        command: The command.
        read_log: Returns the useful part of the log of a failed command, and the fix if known.
    """
    invocation = driver.invocation
    if invocation.is_verbose or invocation.is_dry_run:
        driver.show(answers.describe_command(command, driver.tools))
    if not invocation.is_dry_run:
        result = run(command)
        if result.returncode != 0:
            raise make_tool_error(result, read_log)
        driver.write(result.stdout.encode(errors="surrogateescape"))
        driver.show(result.stderr)
