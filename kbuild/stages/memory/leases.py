"""Share the memory of a machine among the compiles of a user, in whatever processes they run.

A compile leases the memory that it expects to take, and waits until that is free. A lease is a file
with a lock, so that it ends with its process. Compiles wait in a queue, so that many small ones do
not keep a large one from starting. A compile that needs more than there is runs alone.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from kbuild.errors import ConfigurationError
from kbuild.resources import find_cache

_QUEUE: Final = "queue"
_PAUSE: Final = 0.05  # seconds
_ONE_BUILD: Final = 600  # seconds; waiting compiles belong to one build if others did meanwhile


@contextmanager
def lease_memory(size: int, limit: int) -> Iterator[bool]:
    """Wait until memory is free, and lease it.

    Args:
        size: What the compile needs, in bytes.
        limit: What all compiles can use together, in bytes.

    Yields:
        Whether this compile had to wait, and no other one in the last minutes.
    """
    with contextlib.ExitStack() as stack:
        is_first = False
        # Without a cache, or without locks in it, nobody knows of other compiles.
        with contextlib.suppress(OSError, ConfigurationError):
            directory = find_cache("memory") / os.uname().nodename
            directory.mkdir(parents=True, exist_ok=True)
            is_first = _wait(directory, size, limit, stack)
        yield is_first


def _wait(directory: Path, size: int, limit: int, stack: contextlib.ExitStack) -> bool:
    """Wait until memory is free, and write a lease that ``stack`` removes."""
    has_waited = is_first = False
    with (directory / _QUEUE).open("a+", encoding="utf-8") as queue:
        fcntl.flock(queue, fcntl.LOCK_EX)
        while (sizes := tuple(_list_sizes(directory))) and sum(sizes) + size > limit:
            if not has_waited:
                has_waited, is_first = True, _begin_to_wait(queue)
            time.sleep(_PAUSE)
        path = directory / f"{size}.{os.getpid()}.{os.urandom(4).hex()}"
        file = stack.enter_context(path.open("x", encoding="utf-8"))
        fcntl.flock(file, fcntl.LOCK_EX)
        stack.callback(path.unlink, missing_ok=True)
    return is_first


def _begin_to_wait(queue: IO[str]) -> bool:
    """Note the time, and return whether it is long ago that another compile did so."""
    queue.seek(0)
    last, now = queue.read(), time.time()
    queue.truncate(0)
    queue.write(str(int(now)))
    queue.flush()
    return not last or not 0 <= now - int(last) < _ONE_BUILD


def _list_sizes(directory: Path) -> Iterator[int]:
    """Yield what other compiles lease. The lease of a process that died has no lock."""
    for path in directory.iterdir():
        if path.name == _QUEUE:
            continue
        with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                yield int(path.name.partition(".")[0])
            else:
                path.unlink()
