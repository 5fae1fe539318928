"""Processes that answer requests."""

from __future__ import annotations

import atexit
import contextlib
import subprocess

from kbuild.process.commands import python_argv


class Server:
    """A Python process that runs ``main`` of ``module`` and answers each line with one line."""

    def __init__(self, module: str) -> None:
        self._process = subprocess.Popen(
            python_argv(module),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        atexit.register(self.close)

    def ask(self, line: bytes) -> bytes | None:
        """Return the answer without its newline, or None if the process ended."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            return None
        try:
            process.stdin.write(line + b"\n")
            process.stdin.flush()
            answer = process.stdout.readline()
        except OSError:
            answer = b""
        if not answer.endswith(b"\n"):
            self.close()
            return None
        return answer[:-1]

    def close(self) -> None:
        """Kill the process."""
        atexit.unregister(self.close)
        self._process.kill()
        with contextlib.suppress(OSError):
            self._process.communicate()
