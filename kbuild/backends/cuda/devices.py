"""NVIDIA's devices, as the driver library lists them."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any, Final, cast

from kbuild.backends.cuda import architectures
from kbuild.backends.interface.devices import Device, Driver
from kbuild.errors import ConfigurationError

if TYPE_CHECKING:
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.backends.module.runtime import Device as ModuleRuntime

_DRIVER: Final = "libcuda.so.1"
# CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
_CAPABILITY: Final = (75, 76)


def query_driver() -> Driver:
    """See `Devices`: the version is the newest CUDA version that the driver supports."""
    try:
        driver = ctypes.CDLL(_DRIVER)
    except OSError:
        return Driver()
    number, count = ctypes.c_int(), ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return Driver()
    version = f"{number.value // 1000}.{number.value % 1000 // 10}"
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return Driver(version=version)
    devices = tuple(_query_device(driver, ordinal) for ordinal in range(count.value))
    return Driver(version=version, devices=devices)


def native_architectures(devices: tuple[str, ...]) -> tuple[str, ...]:
    """See `Devices`: the devices' own architectures, as cubins only."""
    return architectures.name_native(devices)


def open_device() -> ExecutionDevice:
    """See `Devices`: a device of ``cuda-core``."""
    from kbuild.backends.cuda import execution  # noqa: PLC0415 - imports cuda-core

    device: Any = execution.open_device()  # its queues are its own type
    return cast("ExecutionDevice", device)


def open_library_device(
    entry_points: ModuleRuntime,  # noqa: ARG001 - the interface's signature
) -> ExecutionDevice | None:
    """See `Devices`: a device of ``cuda-core``, on which the library's runtime runs as well.

    Every runtime of CUDA in a process uses the primary context of a device.
    """
    try:
        return open_device()
    except ConfigurationError:
        return None


def _query_device(driver: ctypes.CDLL, ordinal: int) -> Device:
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(name, len(name), ordinal)
    numbers = []
    for attribute in _CAPABILITY:
        value = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, ordinal)
        numbers.append(str(value.value))
    return Device(name=name.value.decode(), architecture=f"sm_{''.join(numbers)}")
