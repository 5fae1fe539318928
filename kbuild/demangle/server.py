"""Demangle names that might become extremely long, in a process with limited memory and time.

The demangler of the C++ runtime library has no limit of memory, and the length of a result cannot
be predicted from the name. It rejects names of more than 1,024 characters, which instances of
CUTLASS's kernels have. For these, ``c++filt -r`` has no such limit.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from typing import Final

from kbuild.demangle.cxxabi import LONGEST_DISPLAY, call_demangler
from kbuild.errors import KbuildError
from kbuild.model import Command
from kbuild.process import Server, run

_MEMORY: Final = 256 << 20
_SECONDS: Final = 1
# Source: DEMANGLE_RECURSION_LIMIT of libiberty, which counts two parts per character.
_LONGEST_OF_LIBRARY: Final = 1024
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
        name = line.rstrip(b"\n").decode("utf-8", "replace")
        answer = call_demangler(name)
        signal.alarm(0)
        answer = answer or _filter(name) or ""
        sys.stdout.buffer.write(answer.encode("utf-8", "replace").replace(b"\n", b" ") + b"\n")
        sys.stdout.buffer.flush()
    return 0


def _filter(name: str) -> str | None:
    """Demangle a name with ``c++filt``, which keeps the limits of this process."""
    if len(name) <= _LONGEST_OF_LIBRARY:
        return None
    try:
        answer = run(Command(argv=("c++filt", "-r", name)), timeout=_SECONDS).stdout.strip()
    except KbuildError:  # it is not installed, or took too long
        return None
    return answer if answer != name and len(answer) <= LONGEST_DISPLAY else None


def _size() -> int:
    """Return the size of this process's address space, in bytes."""
    with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - not a regular file
        return int(file.read().split()[0]) * resource.getpagesize()
