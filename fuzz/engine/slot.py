"""Memory that a worker shares with the driver, so that an input survives a crash of the worker."""

from __future__ import annotations

import mmap
import struct
import time
from typing import Final

_STATE: Final = struct.Struct("<QdQ")


class Slot:
    """The number of executions, the start of the current one, and its input."""

    def __init__(self, largest: int) -> None:
        self._memory = mmap.mmap(-1, _STATE.size + largest)
        self._executions = 0
        self._largest = largest

    def begin(self, data: bytes) -> None:
        """Note that an execution starts. The worker calls this."""
        size = min(len(data), self._largest)
        self._memory[_STATE.size : _STATE.size + size] = data[:size]
        self._executions += 1
        _STATE.pack_into(self._memory, 0, self._executions, time.monotonic(), size)

    def end(self) -> None:
        """Note that the execution ended."""
        _STATE.pack_into(self._memory, 0, self._executions, 0.0, 0)

    @property
    def executions(self) -> int:
        """The number of executions that have started."""
        count: int = _STATE.unpack_from(self._memory)[0]
        return count

    @property
    def running_seconds(self) -> float:
        """The time that the current execution has taken so far; 0 between executions."""
        started: float = _STATE.unpack_from(self._memory)[1]
        return time.monotonic() - started if started else 0.0

    @property
    def data(self) -> bytes:
        """The input of the current execution."""
        size: int = _STATE.unpack_from(self._memory)[2]
        return self._memory[_STATE.size : _STATE.size + size]
