"""Demangles names that may grow without end, in a process with little memory and time.

The demangler of the C++ runtime library has no limit of its own, and nothing in the name
tells beforehand how long the result is.
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

# One for each process: a forked one must not talk to its parent's.
_servers: dict[int, Server] = {}


def ask(name: str) -> str | None:
    """The demangled name; None where it is no name, or takes too much to say."""
    text = name.encode("utf-8", "replace")
    if b"\n" in text:
        return None
    server = _servers.get(os.getpid())
    if server is None:
        server = _servers[os.getpid()] = Server("kbuild.demangle.server")
    answer = server.ask(text)
    if answer is None:
        # It ran out of time; the next name gets a new one.
        del _servers[os.getpid()]
    return answer.decode("utf-8", "replace") if answer else None


def main(words: list[str]) -> int:  # noqa: ARG001 - it has none
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
    """The address space that this process has now, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a path of ours
        return int(file.read().split()[0]) * resource.getpagesize()
