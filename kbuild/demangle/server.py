"""Demangle names that might become extremely long, in a process with limited memory and time.

The demangler of the C++ runtime library has no limit, and the length of a result cannot be
predicted from the name.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from typing import Final

from kbuild.demangle.cxxabi import call_demangler
from kbuild.process import Server

_MEMORY: Final = 256 << 20
_SECONDS: Final = 1
# A file can contain many names that exceed the limits.
_MOST_FAILURES: Final = 3

# One server per process, because a forked process must not use the server of its parent.
_servers: dict[int, Server] = {}
_failures: dict[int, int] = {}


def ask(name: str) -> str | None:
    """Return the demangled name; None if the name is invalid, or needs too much memory or time.

    After some names that exceed the time limit, no further names are demangled.
    """
    text = name.encode("utf-8", "replace")
    process = os.getpid()
    if b"\n" in text or _failures.get(process, 0) >= _MOST_FAILURES:
        return None
    server = _servers.get(process)
    if server is None:
        server = _servers[process] = Server("kbuild.demangle.server")
    answer = server.ask(text)
    if answer is None:
        # The server crashed or exceeded its time limit. The next name starts a new one.
        del _servers[process]
        _failures[process] = _failures.get(process, 0) + 1
    return answer.decode("utf-8", "replace") if answer else None


def main(words: list[str]) -> int:  # noqa: ARG001 - takes no arguments
    """Answer each line with its demangled name, or an empty line."""
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    memory = _size() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (memory if hard < 0 else min(memory, hard), hard))
    for line in sys.stdin.buffer:
        signal.alarm(_SECONDS)
        answer = call_demangler(line.rstrip(b"\n").decode("utf-8", "replace")) or ""
        signal.alarm(0)
        sys.stdout.buffer.write(answer.encode("utf-8", "replace").replace(b"\n", b" ") + b"\n")
        sys.stdout.buffer.flush()
    return 0


def _size() -> int:
    """Return the size of this process's address space, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a regular file
        return int(file.read().split()[0]) * resource.getpagesize()
