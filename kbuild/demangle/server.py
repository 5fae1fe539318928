"""Demangles names that might become extremely long, in a process with limited memory and time.

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
_SECONDS: Final = 2

# One server per process, because a forked process must not use the server of its parent.
_servers: dict[int, Server] = {}


def ask(name: str) -> str | None:
    """Return the demangled name; None if the name is invalid, or needs too much memory or time."""
    text = name.encode("utf-8", "replace")
    if b"\n" in text:
        return None
    server = _servers.get(os.getpid())
    if server is None:
        server = _servers[os.getpid()] = Server("kbuild.demangle.server")
    answer = server.ask(text)
    if answer is None:
        # The server exceeded its time limit. The next name starts a new one.
        del _servers[os.getpid()]
    return answer.decode("utf-8", "replace") if answer else None


def main(words: list[str]) -> int:  # noqa: ARG001 - takes no arguments
    """Answer each line with its demangled name, or an empty line."""
    resource.setrlimit(resource.RLIMIT_AS, (_size() + _MEMORY, resource.RLIM_INFINITY))
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
