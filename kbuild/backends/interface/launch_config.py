"""`LaunchConfig`: the grid, the block, and the other settings of a launch."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from kbuild.errors import ConfigurationError
from kbuild.values import dataclass

# A number of blocks or threads: in x only, or in up to three dimensions.
Extent: TypeAlias = int | Sequence[int]

_BRACKETS: Final = ("grid", "block", "shared_bytes", "stream")
_DIMENSIONS: Final = 3
_LARGEST: Final = 2**32 - 1
_LARGEST_SHARED: Final = 2**64 - 1
_PRIORITIES: Final = (-(2**31), 2**31 - 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchConfig:
    """The configuration of a launch.

    Attributes:
        grid: The number of blocks in x, or in up to three dimensions. It is stored as three
            integers.
        block: The number of threads per block, like ``grid``.
        shared_bytes: The size of the dynamic shared memory in bytes.
        stream: A stream of `KernelExecutor.create_stream`, the address of a stream of the backend's
            runtime, or, for CUDA, an object with ``__cuda_stream__``. None is the default stream.
        max_registers: The most registers that a thread may use. A kernel that uses more is
            compiled again, if its backend supports that.
        cluster: The number of blocks in a cluster, like ``grid``.
        cooperative: Whether all blocks run at the same time, so that they can wait for each other.
        programmatic_dependent_launch: Whether the kernel can start before the kernel in front of
            it in the stream has finished.
        priority: The priority of the launch. Lower numbers run first; 0 is the stream's priority.

    Raises:
        ConfigurationError: A value is not an integer, or is out of range.
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
        """The number of threads in a block."""
        x, y, z = read_extent("block", self.block)
        return x * y * z


def read_brackets(launch: Any, kernel: str) -> LaunchConfig:
    """Return the configuration in ``kernel[grid, block, shared_bytes, stream]``.

    Raises:
        ConfigurationError: There are less than two or more than four values, or a wrong one.
    """
    values = launch if isinstance(launch, tuple) else (launch,)
    if not 2 <= len(values) <= len(_BRACKETS):  # noqa: PLR2004 - grid and block
        raise ConfigurationError(
            f"{kernel}: invalid launch {launch!r}; expected kernel[grid, block](...), "
            "kernel[grid, block, shared_bytes](...), or kernel[grid, block, shared_bytes, "
            "stream](...)"
        )
    return LaunchConfig(**dict(zip(_BRACKETS, values, strict=False)))


def read_extent(what: str, value: Extent) -> tuple[int, int, int]:
    """Return three numbers; missing ones are 1.

    Raises:
        ConfigurationError: ``value`` is not an extent; ``what`` names it in the message.
    """
    sizes: tuple[Any, ...] = (value,)
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)):
        sizes = tuple(value)
    if not 1 <= len(sizes) <= _DIMENSIONS:
        raise ConfigurationError(f"{what} has {len(sizes)} dimensions; expected 1 to 3")
    x, y, z = (read_number(what, size, 1, _LARGEST) for size in (*sizes, 1, 1)[:_DIMENSIONS])
    return x, y, z


def read_number(what: str, value: object, smallest: int, largest: int) -> int:
    """Return a value of any integer type as an int.

    Raises:
        ConfigurationError: ``value`` is not an integer or out of range; ``what`` names it in the
            message.
    """
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ConfigurationError(f"{what} is {value!r}; expected an integer") from None
    if not smallest <= number <= largest:
        raise ConfigurationError(f"{what} is {number}; expected {smallest} to {largest}")
    return number
