"""One launch: its configuration, and arguments laid out in memory as parameters are."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Final

from kbuild.model import KernelRecord
from kbuild.runtime import abi
from kbuild.runtime.arguments import ArrayArgument, encode_arguments
from kbuild.runtime.arrays import DeviceArrays
from kbuild.runtime.device import Device
from kbuild.runtime.launch_config import LaunchConfig, read_extent

# No parameter type asks for more; offsets keep the alignment of what lies there.
_ALIGNMENT: Final = 256


def encode_config(config: LaunchConfig) -> abi.LaunchConfig:
    """The configuration as ``struct kbuild_launch_config``, but for its stream."""
    return abi.LaunchConfig(
        grid=abi.Dim3(*read_extent("grid", config.grid)),
        block=abi.Dim3(*read_extent("block", config.block)),
        shared_bytes=config.shared_bytes,
        cluster=abi.Dim3(*read_extent("cluster", config.cluster)) if config.cluster else abi.Dim3(),
        cooperative=config.cooperative,
        programmatic_dependent_launch=config.programmatic_dependent_launch,
        priority=config.priority,
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
