"""Run functions in forked processes, and in threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

from kbuild.errors import InputError

if TYPE_CHECKING:
    from concurrent.futures import ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")

# With many chunks per process, all processes finish at about the same time.
_CHUNKS_PER_PROCESS: Final = 32

# The function and values, which forked processes inherit. Only positions are sent to them.
_work: tuple[Callable[[Any], Any], Sequence[Any]] | None = None


def count_cores() -> int:
    """Return the number of cores that this process can use."""
    return len(os.sched_getaffinity(0))


def map_in_order(
    function: Callable[[T], R], values: Sequence[T], *, jobs: int | None = None
) -> Iterator[R]:
    """Yield ``function(value)`` for each value, in order, from several processes.

    The processes are forked, so only the results must support pickling. Exceptions of ``function``
    are raised here.

    Args:
        function: The function.
        values: The values.
        jobs: The number of processes. None means one per core.

    Raises:
        InputError: A process died, for example because memory ran out.
    """
    processes = min(jobs or count_cores(), len(values))
    if processes <= 1:
        yield from map(function, values)
        return
    size = max(len(values) // (processes * _CHUNKS_PER_PROCESS), 1)
    with _fork(function, values, processes, fix="; try -j 1") as pool:
        yield from pool.map(_apply, range(len(values)), chunksize=size)


def map_in_threads(function: Callable[[T], R], values: Sequence[T]) -> tuple[R, ...]:
    """Return ``function(value)`` for each value, from one thread per core.

    This is for functions that wait for other programs. The exception of the first value that has
    one is raised.
    """
    if min(count_cores(), len(values)) <= 1:
        return tuple(map(function, values))
    # The module loads slowly, and little work does not need it.
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415

    with ThreadPoolExecutor(count_cores()) as pool:
        return tuple(pool.map(function, values))


def call_in_child(function: Callable[[], R]) -> R:
    """Call ``function`` in a forked process, so that its memory is freed afterward.

    The result must support pickling. Exceptions of ``function`` are raised here.

    Raises:
        InputError: The process died, for example because memory ran out.
    """
    with _fork(lambda _: function(), (None,), processes=1) as pool:
        result: R = pool.submit(_apply, 0).result()
        return result


@contextmanager
def _fork(
    function: Callable[[Any], Any], values: Sequence[Any], processes: int, fix: str = ""
) -> Iterator[ProcessPoolExecutor]:
    """Start processes that can `_apply` the function to the values."""
    # These modules load slowly, and little work does not need them.
    import multiprocessing  # noqa: PLC0415
    from concurrent.futures import ProcessPoolExecutor  # noqa: PLC0415
    from concurrent.futures.process import BrokenProcessPool  # noqa: PLC0415

    global _work  # noqa: PLW0603 - forked processes inherit it
    previous, _work = _work, (function, values)
    try:
        context = multiprocessing.get_context("fork")
        with ProcessPoolExecutor(
            processes, mp_context=context, initializer=_disable_collection
        ) as pool:
            yield pool
    except BrokenProcessPool as error:
        raise InputError(f"a worker process died (out of memory?){fix}") from error
    finally:
        _work = previous


def _disable_collection() -> None:
    """Disable garbage collection: it would write to, and so copy, each page of shared memory."""
    import gc  # noqa: PLC0415

    gc.freeze()
    gc.disable()


def _apply(position: int) -> Any:
    if _work is None:
        raise RuntimeError("_apply runs only in processes that _fork starts")
    function, values = _work
    return function(values[position])
