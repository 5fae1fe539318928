"""Run commands, and keep the kernels that their processes compile."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from kbuild.errors import InputError, ToolError
from kbuild.model import Command
from kbuild.process import run

# See `kbuild.runtime.compiling.dump`.
_VARIABLE: Final = "KBUILD_DUMP"
_BY_TEST: Final = "KBUILD_DUMP_BY_TEST"


@contextlib.contextmanager
def run_commands(commands: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    """Run each command in a shell, one after the other, and yield directories with the kernels.

    The directories are removed afterwards.

    Args:
        commands: The command lines, as a shell reads them.

    Raises:
        InputError: A command compiled no kernels.
        ToolError: A command failed; the message has its output.
    """
    with tempfile.TemporaryDirectory(prefix="kbuild-diff-") as name:
        directories = tuple(Path(name).resolve() / str(n) for n in range(len(commands)))
        for command, directory in zip(commands, directories, strict=True):
            record_kernels(command, directory)
            require_kernels((directory,), command)
        yield directories


def record_kernels(
    command: str, directory: Path, working_directory: Path | None = None, context: str = ""
) -> None:
    """Run a command in a shell, and keep the kernels that its processes compile.

    Args:
        command: The command line.
        directory: The directory for the kernels, which does not exist yet.
        working_directory: Where the command runs; by default, here.
        context: What the message of a failure starts with.

    Raises:
        ToolError: The command failed; the message has its output.
    """
    directory.mkdir()
    argv = ("/bin/sh", "-c", command)
    env = ((_VARIABLE, str(directory)), (_BY_TEST, "1"))
    result = run(Command(argv=argv, env=env), cwd=working_directory)
    if result.returncode != 0:
        output = f"{result.stdout.strip()}\n{result.stderr.strip()}".strip()
        raise ToolError(
            f"{context}{command!r} failed with exit status {result.returncode}", log=output
        )


def require_kernels(directories: Sequence[Path], command: str) -> None:
    """Raise InputError if no directory contains a kernel."""
    if not any(any(directory.iterdir()) for directory in directories):
        raise InputError(
            f"{command!r} compiled no kernels with kbuild; expected a command that uses "
            "KernelCompiler, RtcKernel, or NVRTC of the CPU backend"
        )
