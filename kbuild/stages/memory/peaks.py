"""Remember how much memory compiles take, and let each one lease it.

The user's cache has the peak of each source and architecture. What is not known takes what a large
source does.
"""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kbuild.backends.interface.toolchain import Toolchain
from kbuild.errors import ConfigurationError
from kbuild.process import select_environment
from kbuild.stages.memory.leases import lease_memory
from kbuild.stages.memory.limit import SHARE, read_memory_limit
from kbuild.toolchain import store

LIMIT: Final = "KBUILD_COMPILE_MEMORY"
_PEAK: Final = "peak memory 1"
# The next compile of a source can take a little more.
_MARGIN: Final = 1.1
_CHANGE: Final = 0.05
_GIB: Final = 1 << 30


def find_peak(source: Path, part: str, tc: Toolchain) -> int | None:
    """Return the memory that compiling a source took the last time, in bytes; None if unknown.

    Args:
        source: The source.
        part: What is compiled: an architecture, or the host code.
        tc: The toolchain of the device code.
    """
    known = store.find(_make_key(source, part, tc))
    return None if known is None else int(known)


def expect_peak(source: Path, part: str, tc: Toolchain, unknown: int) -> int:
    """Return the memory to expect, in bytes, which is ``unknown`` for a source without a record."""
    peak = find_peak(source, part, tc)
    return unknown if peak is None else int(peak * _MARGIN)


def read_compile_memory() -> int:
    """Return what all compiles can use together, in bytes.

    Raises:
        ConfigurationError: The user's own limit is not a number.
    """
    value = select_environment((LIMIT,)).get(LIMIT, "")
    if not value:
        return int(read_memory_limit() * SHARE)
    if not (value.isascii() and value.isdigit()):
        raise ConfigurationError(f"{LIMIT} is {value!r}; expected a number of bytes")
    return int(value)


@contextmanager
def reserve_memory(
    source: Path, part: str, tc: Toolchain, unknown: int, *, is_measured: bool = True
) -> Iterator[str]:
    """Wait until there is memory for a compile, and remember what it takes.

    Args:
        source: The source.
        part: What is compiled: an architecture, or the host code.
        tc: The toolchain of the device code.
        unknown: What to expect of a source without a record, in bytes.
        is_measured: Whether the processes that run are those that take the memory. With a compiler
            cache, nobody knows.

    Yields:
        A line for the user if this is the first compile that had to wait, or an empty string.
    """
    limit = read_compile_memory()
    size = expect_peak(source, part, tc, unknown)
    with lease_memory(size, limit) as is_first:
        before = _read_largest_child()
        yield _describe(source, size, limit) if is_first else ""
        if is_measured:
            _remember(source, part, tc, before)


def _describe(source: Path, size: int, limit: int) -> str:
    return (
        f"kbuild: note: compiles wait for memory: {source} can take {size / _GIB:.1f} GiB, and all "
        f"that run at once {limit / _GIB:.1f} GiB ({LIMIT} changes the limit)\n"
    )


def _read_largest_child() -> int:
    """Return the peak of the largest process that this process has waited for, in bytes."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10


def _remember(source: Path, part: str, tc: Toolchain, before: int) -> None:
    """Remember the peak of the processes since a larger one than all ``before`` has ended."""
    peak, known = _read_largest_child(), find_peak(source, part, tc)
    # If an earlier process was larger, the compile took at most as much.
    is_exact = peak > before
    if known is None or (is_exact and abs(peak - known) > peak * _CHANGE):
        store.add(_make_key(source, part, tc), str(peak).encode())


def _make_key(source: Path, part: str, tc: Toolchain) -> str:
    return store.make_key(_PEAK, tc.backend, tc.version, str(source.absolute()), part)
