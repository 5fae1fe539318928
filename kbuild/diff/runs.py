"""Run commands, and keep the kernels that their Python processes compile."""

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
            directory.mkdir()
            argv = ("/bin/sh", "-c", command)
            result = run(Command(argv=argv, env=((_VARIABLE, str(directory)),)))
            if result.returncode != 0:
                output = f"{result.stdout.strip()}\n{result.stderr.strip()}".strip()
                raise ToolError(
                    f"{command!r} failed with exit status {result.returncode}", log=output
                )
            if not any(directory.iterdir()):
                raise InputError(
                    f"{command!r} compiled no kernels with kbuild in Python; expected a command "
                    "that uses KernelCompiler or RtcKernel"
                )
        yield directories
