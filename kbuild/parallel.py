"""Work on all cores: a function over many values, in processes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeVar

from kbuild.errors import InputError

T = TypeVar("T")
R = TypeVar("R")

# More chunks than processes, so that none waits long for the last one.
_CHUNKS_A_PROCESS: Final = 32

# What forked processes find in their memory: nothing but positions is sent to them.
_work: tuple[Callable[[Any], Any], Sequence[Any]] | None = None


def count_cores() -> int:
    """The cores that this process may use."""
    return len(os.sched_getaffinity(0))


def map_in_order(
    function: Callable[[T], R], values: Sequence[T], *, jobs: int | None = None
) -> Iterator[R]:
    """``function`` of each value, in order; in ``jobs`` processes (None: one a core).

    The processes are forked: function and values may be anything, results are pickled.
    What ``function`` raises is raised here.
    """
    processes = min(jobs or count_cores(), len(values))
    if processes <= 1:
        yield from map(function, values)
        return
    import gc  # noqa: PLC0415 - only here
    import multiprocessing  # noqa: PLC0415 - loads much that small work does not need
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - likewise
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - likewise

    global _work  # noqa: PLW0603 - forked processes inherit it
    previous, _work = _work, (function, values)
    size = max(len(values) // (processes * _CHUNKS_A_PROCESS), 1)
    try:
        context = multiprocessing.get_context("fork")
        # Looking for cycles writes to every object, and each page written to is one more copy.
        with ProcessPoolExecutor(processes, mp_context=context, initializer=gc.freeze) as pool:
            yield from pool.map(_apply, range(len(values)), chunksize=size)
    except BrokenProcessPool as error:
        raise InputError("a process that was reading died (out of memory?); try -j 1") from error
    finally:
        _work = previous


def call_apart(function: Callable[[], R]) -> R:
    """What ``function`` returns, called in a forked process, whose memory goes when it ends.

    The result is pickled.  What ``function`` raises is raised here.
    """
    import multiprocessing  # noqa: PLC0415 - loads much that small work does not need
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415 - likewise
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415 - likewise

    global _work  # noqa: PLW0603 - the forked process inherits it
    previous, _work = _work, (lambda _: function(), (None,))
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(1, mp_context=context) as pool:
            result: R = pool.submit(_apply, 0).result()
            return result
    except BrokenProcessPool as error:
        raise InputError("a process that was reading died (out of memory?)") from error
    finally:
        _work = previous


def _apply(position: int) -> Any:
    if _work is None:
        raise RuntimeError("only for processes that map_in_order forks")
    function, values = _work
    return function(values[position])
