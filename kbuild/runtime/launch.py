"""One launch: its configuration, and arguments laid out in memory as parameters are."""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from kbuild.errors import ConfigurationError
from kbuild.model import KernelRecord
from kbuild.runtime import abi
from kbuild.runtime.arguments import ArrayArgument, encode_arguments
from kbuild.runtime.arrays import DeviceArrays
from kbuild.runtime.device import Device

# How many blocks or threads: in x alone, or in up to three directions.
Extent: TypeAlias = int | Sequence[int]

_DIMENSIONS: Final = 3
_LARGEST: Final = 2**32 - 1
_LARGEST_SHARED: Final = 2**64 - 1
# No parameter type asks for more; offsets keep the alignment of what lies there.
_ALIGNMENT: Final = 256


def make_config(grid: Extent, block: Extent, shared_bytes: int) -> abi.LaunchConfig:
    """A launch configuration; ConfigurationError for what no device could launch."""
    return abi.LaunchConfig(
        grid=_make_extent("grid", grid),
        block=_make_extent("block", block),
        shared_bytes=_read_number("shared_bytes", shared_bytes, 0, _LARGEST_SHARED),
    )


def launch(
    device: Device,
    handle: int,
    kernel: KernelRecord,
    config: abi.LaunchConfig,
    values: Sequence[object],
) -> None:
    """Launch, wait, and copy arrays back; nothing is copied back after a failure."""
    arguments = encode_arguments(kernel, values)
    with DeviceArrays(device) as arrays:
        contents = [
            arrays.copy_in(argument).to_bytes(8, "little")
            if isinstance(argument, ArrayArgument)
            else argument
            for argument in arguments
        ]
        memory, addresses = _lay_out(kernel, contents)
        device.launch(handle, config, addresses)
        device.synchronize()
        del memory  # until here the runtime may read the arguments
        arrays.copy_back()


def _lay_out(kernel: KernelRecord, contents: Sequence[bytes]) -> tuple[Any, list[int]]:
    """Memory that holds the arguments at their parameters' offsets, and their addresses."""
    end = max((param.offset + param.size for param in kernel.params), default=0)
    memory = ctypes.create_string_buffer(end + _ALIGNMENT)
    start = ctypes.addressof(memory)
    start += -start % _ALIGNMENT
    addresses = []
    for param, content in zip(kernel.params, contents, strict=True):
        address = start + param.offset
        ctypes.memmove(address, content, len(content))
        addresses.append(address)
    return memory, addresses


def _make_extent(what: str, value: Extent) -> abi.Dim3:
    sizes = tuple(value) if isinstance(value, Sequence) else (value,)
    if not 1 <= len(sizes) <= _DIMENSIONS:
        raise ConfigurationError(f"{what} has {len(sizes)} dimensions; it may have 1 to 3")
    checked = [_read_number(what, size, 1, _LARGEST) for size in sizes]
    return abi.Dim3(*checked, *(1 for _ in range(_DIMENSIONS - len(checked))))


def _read_number(what: str, value: object, smallest: int, largest: int) -> int:
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise ConfigurationError(f"{what} is {value!r}; it takes integers") from None
    if not smallest <= number <= largest:
        raise ConfigurationError(f"{what} is {number}; it may be {smallest} to {largest}")
    return number
