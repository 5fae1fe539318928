"""Devices, as their drivers list them.  Nothing asks unless a user does.

NVIDIA's driver is a library; AMD's lists its nodes in files, processors (which are not
devices) among them.  Source: ``gfx_target_version`` in Linux's ``kfd_topology.c``.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_DRIVER: Final = "libcuda.so.1"
_TOPOLOGY: Final = Path("/sys/class/kfd/kfd/topology/nodes")
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


def list_amd_devices(topology: Path = _TOPOLOGY) -> tuple[Device, ...]:
    """AMD's devices, in the order of the driver's nodes."""
    nodes = sorted(topology.glob("*/properties"), key=lambda path: int(path.parent.name))
    devices = (_read_node(node) for node in nodes)
    return tuple(device for device in devices if device)


def _read_node(path: Path) -> Device | None:
    pairs = (line.split() for line in path.read_text().splitlines())
    properties = {pair[0]: pair[1] for pair in pairs if len(pair) > 1}
    version = int(properties.get("gfx_target_version", "0"))
    if version == 0:
        return None
    # Decimal pairs of digits; the last two of a name are hexadecimal.
    major, minor, stepping = version // 10000, version // 100 % 100, version % 100
    name = path.with_name("name")
    return Device(
        name=name.read_text().strip() if name.is_file() else "AMD",
        architecture=f"gfx{major}{minor:x}{stepping:x}",
    )
