"""The command ``kbuild`` for tests, without the time that Python takes to start and to import.

A server process imports kbuild once. For each command, a small program in C passes its arguments,
working directory, environment, and open files to the server, which forks. The fork runs the
command, and the program ends as the fork ended.

Tests about the process itself, such as its signals, start the installed command instead.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

_DIRECTORY: Final = Path(__file__).parent
# The program is in this directory. tests/conftest.py creates one for each process that runs tests.
DIRECTORY_VARIABLE: Final = "KBUILD_TESTS_COMMAND_SERVER"


@cache
def start_command(installed: Path) -> Path:
    """Start the server and return the program; the installed command if nothing can compile it.

    Args:
        installed: The command, which the program runs if the server does not answer.
    """
    program = Path(os.environ[DIRECTORY_VARIABLE]) / "kbuild"
    name = f"kbuild-tests-{os.getpid()}-{os.urandom(8).hex()}"
    definitions = (f'-DSERVER_NAME="{name}"', f'-DINSTALLED_COMMAND="{installed}"')
    source = _DIRECTORY / "client.c"
    try:
        compiled = subprocess.run(
            ["gcc", "-O1", *definitions, source, "-o", program], capture_output=True, check=False
        )
    except FileNotFoundError:
        return installed
    if compiled.returncode != 0:
        return installed
    server = subprocess.Popen(
        [sys.executable, "-m", f"{__name__}.server", name, program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=_DIRECTORY.parents[1],
    )
    assert server.stdout is not None
    if server.stdout.readline() != b"ready\n":
        return installed
    atexit.register(_stop, server)
    return program


def _stop(server: subprocess.Popen[bytes]) -> None:
    """Close the server's input, on which it ends."""
    server.communicate()
