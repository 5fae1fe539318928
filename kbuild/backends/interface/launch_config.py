"""How a kernel is launched: what `KernelExecutor.run` takes beside the arguments."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from kbuild.errors import ConfigurationError

# How many blocks or threads: in x alone, or in up to three directions.
Extent: TypeAlias = int | Sequence[int]

_DIMENSIONS: Final = 3
_LARGEST: Final = 2**32 - 1
_LARGEST_SHARED: Final = 2**64 - 1
_PRIORITIES: Final = (-(2**31), 2**31 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchConfig:
    """One launch's configuration; ConfigurationError for what no device could launch.

    ``grid`` (blocks) and ``block`` (threads) are a number or up to three, and become three.
    ``stream`` is a stream of the backend's runtime: its address, or an object that says it
    (``__cuda_stream__``); None is the default one.  ``max_registers`` is how many registers a
    thread may have at most: a kernel compiled for more is recompiled, where its backend can.
    ``cluster`` (blocks), ``cooperative``, ``programmatic_dependent_launch`` and ``priority``
    are the launch attributes of these names.
    """

    grid: Extent
    block: Extent
    shared_bytes: int = 0
    stream: Any = None
    max_registers: int | None = None
    cluster: Extent | None = None
    cooperative: bool = False
    programmatic_dependent_launch: bool = False
    priority: int = 0

    def __post_init__(self) -> None:
        changed: dict[str, object] = {
            "grid": read_extent("grid", self.grid),
            "block": read_extent("block", self.block),
            "shared_bytes": read_number("shared_bytes", self.shared_bytes, 0, _LARGEST_SHARED),
            "priority": read_number("priority", self.priority, *_PRIORITIES),
        }
        if self.cluster is not None:
            changed["cluster"] = read_extent("cluster", self.cluster)
        if self.max_registers is not None:
            changed["max_registers"] = read_number("max_registers", self.max_registers, 1, 1 << 16)
        for name in ("cooperative", "programmatic_dependent_launch"):
            changed[name] = bool(read_number(name, getattr(self, name), 0, 1))
        for name, value in changed.items():
            object.__setattr__(self, name, value)

    @property
    def threads(self) -> int:
        """The threads of a block."""
        x, y, z = read_extent("block", self.block)
        return x * y * z


def read_extent(what: str, value: Extent) -> tuple[int, int, int]:
    """Three numbers, those that are not given 1; ConfigurationError for what is no extent."""
    sizes: tuple[Any, ...] = (value,)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        sizes = tuple(value)
    if not 1 <= len(sizes) <= _DIMENSIONS:
        raise ConfigurationError(f"{what} has {len(sizes)} dimensions; it may have 1 to 3")
    x, y, z = (read_number(what, size, 1, _LARGEST) for size in (*sizes, 1, 1)[:_DIMENSIONS])
    return x, y, z


def read_number(what: str, value: object, smallest: int, largest: int) -> int:
    """An integer of any kind; ConfigurationError where it is none, or out of the range."""
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ConfigurationError(f"{what} is {value!r}; it takes integers") from None
    if not smallest <= number <= largest:
        raise ConfigurationError(f"{what} is {number}; it may be {smallest} to {largest}")
    return number
