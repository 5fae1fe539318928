"""One launch: its arguments, laid out in memory as parameters are."""

from __future__ import annotations

from collections.abc import Sequence

from kbuild.backends.module import abi
from kbuild.backends.module.runtime import Device
from kbuild.model import KernelRecord
from kbuild.runtime.arguments.arrays import DeviceArrays
from kbuild.runtime.arguments.encode import Argument, ArrayArgument, encode_arguments
from kbuild.runtime.arguments.frames import Frame


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
