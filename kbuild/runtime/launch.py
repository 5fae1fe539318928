"""One launch: its configuration, and arguments laid out in memory as parameters are."""

from __future__ import annotations

from collections.abc import Sequence

from kbuild.model import KernelRecord
from kbuild.runtime import abi
from kbuild.runtime.arguments import Argument, ArrayArgument, encode_arguments
from kbuild.runtime.arrays import DeviceArrays
from kbuild.runtime.device import Device
from kbuild.runtime.frames import Frame
from kbuild.runtime.launch_config import LaunchConfig, read_extent


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
    frame = Frame(kernel.params)
    with DeviceArrays(device) as arrays:
        write_arguments(frame, arguments, arrays)
        device.launch(handle, config, frame.pointers)
        device.synchronize()
        arrays.copy_back()


def write_arguments(frame: Frame, arguments: tuple[Argument, ...], arrays: DeviceArrays) -> None:
    """Fill ``frame``, with the addresses of device copies where arguments are arrays."""
    for index, argument in enumerate(arguments):
        if isinstance(argument, ArrayArgument):
            frame.write(index, arrays.copy_in(argument).to_bytes(8, "little"))
        else:
            frame.write(index, argument)
