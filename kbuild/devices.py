"""Devices, as their drivers list them.  Nothing asks unless a user does."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Final

_DRIVER: Final = "libcuda.so.1"
# CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR and _MINOR
_CAPABILITY: Final = (75, 76)


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """A GPU that a driver offers."""

    name: str
    architecture: str


def query_driver() -> tuple[str | None, tuple[Device, ...]]:
    """The CUDA version of NVIDIA's driver and its devices; (None, ()) without a driver."""
    try:
        driver = ctypes.CDLL(_DRIVER)
    except OSError:
        return None, ()
    number, count = ctypes.c_int(), ctypes.c_int()
    if driver.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return None, ()
    version = f"{number.value // 1000}.{number.value % 1000 // 10}"
    if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return version, ()
    return version, tuple(_query_device(driver, ordinal) for ordinal in range(count.value))


def _query_device(driver: ctypes.CDLL, ordinal: int) -> Device:
    name = ctypes.create_string_buffer(256)
    driver.cuDeviceGetName(name, len(name), ordinal)
    numbers = []
    for attribute in _CAPABILITY:
        value = ctypes.c_int()
        driver.cuDeviceGetAttribute(ctypes.byref(value), attribute, ordinal)
        numbers.append(str(value.value))
    return Device(name=name.value.decode(), architecture=f"sm_{''.join(numbers)}")
