"""The processor as a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kbuild.backends.cpu import machines
from kbuild.backends.interface.devices import Driver

if TYPE_CHECKING:
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.backends.module.runtime import Device as ModuleRuntime


def query_driver() -> Driver:
    """See `Devices`: no driver lists the processor."""
    return Driver()


def native_architectures(
    devices: tuple[str, ...],  # noqa: ARG001 - the interface's signature
) -> tuple[str, ...]:
    """See `Devices`: the best level that this machine runs."""
    return (machines.find_best_level(),)


def open_device() -> ExecutionDevice:
    """See `Devices`. Raises ToolchainError if this kbuild was installed without the runtime."""
    from kbuild.backends.cpu import execution  # noqa: PLC0415 - loads the runtime

    return execution.open_device()


def open_library_device(entry_points: ModuleRuntime) -> ExecutionDevice:
    """See `Devices`: a library can be linked to its own copy of the runtime."""
    from kbuild.backends.cpu import execution  # noqa: PLC0415 - loads the runtime

    return entry_points.open(execution.CpuDevice)
