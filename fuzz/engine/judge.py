"""Runs one input within the limits, and describes what went wrong."""

from __future__ import annotations

import contextlib
import resource
import signal
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import kbuild
from fuzz.engine.model import Defect, Kind, Limits
from fuzz.engine.slot import Slot
from fuzz.target import Target

_SOURCE: Final = str(Path(kbuild.__file__).parent)
_SHRINK_SECONDS: Final = 5.0


class TimeLimitError(BaseException):
    """An execution exceeded its time limit. No handler of ordinary errors catches it."""


def _raise_time_limit(*_: Any) -> None:
    raise TimeLimitError


@contextlib.contextmanager
def limit_process(limits: Limits) -> Iterator[None]:
    """Limit the address space, and let alarms end an execution."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    handler = signal.signal(signal.SIGALRM, _raise_time_limit)
    resource.setrlimit(resource.RLIMIT_AS, (_measure_size() + limits.memory, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
        signal.signal(signal.SIGALRM, handler)


def _measure_size() -> int:
    """Return the size of this process's address space, in bytes."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    return pages * resource.getpagesize()


def execute(target: Target, data: bytes, limits: Limits, slot: Slot) -> Defect | None:
    """Run a target on an input within `limit_process`."""
    slot.begin(data)
    try:
        signal.setitimer(signal.ITIMER_REAL, limits.seconds)
        try:
            target.check(data)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - every other error is a finding
        return _describe(target, data, error)
    finally:
        slot.end()
    return None


def _describe(target: Target, data: bytes, error: BaseException) -> Defect:
    kind: Kind = "exception"
    if isinstance(error, TimeLimitError):
        kind = "hang"
    elif isinstance(error, MemoryError):
        kind = "memory"
    frames = traceback.extract_tb(error.__traceback__)
    places = [frame for frame in frames if frame.filename.startswith(_SOURCE)]
    place = ""
    if places:
        file = Path(places[-1].filename).relative_to(_SOURCE)
        # The innermost line of an endless recursion is arbitrary.
        is_deep = isinstance(error, RecursionError)
        place = str(file) if is_deep else f"{file}:{places[-1].name}:{places[-1].lineno}"
    rule = str(error) if isinstance(error, AssertionError) else ""
    name = "" if kind != "exception" else type(error).__name__
    return Defect(
        target=target.name,
        kind=kind,
        signature=" ".join(filter(None, (kind, name, place, rule))),
        details="".join(traceback.format_exception(error)),
        data=data,
    )


def shrink(defect: Defect, find: Callable[[bytes], Defect | None]) -> Defect:
    """Remove pieces of the input while the same defect remains, for a few seconds.

    Args:
        defect: The defect.
        find: Runs an input and returns its defect.
    """
    deadline = time.monotonic() + _SHRINK_SECONDS
    best = defect
    size = len(best.data) // 2
    while size:
        start = 0
        while start < len(best.data):
            if time.monotonic() > deadline:
                return best
            found = find(best.data[:start] + best.data[start + size :])
            if found is not None and found.signature == defect.signature:
                best = found
            else:
                start += size
        size //= 2
    return best
