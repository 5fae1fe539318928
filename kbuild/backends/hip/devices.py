"""AMD's devices, as the kernel driver lists them in files.

Source: ``gfx_target_version`` in Linux's ``kfd_topology.c``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from kbuild.backends.hip import architectures
from kbuild.backends.interface.devices import Device, Driver

# Python can launch the HIP kernels of a library through its entry points only.
open_device: Final = None
open_library_device: Final = None

_TOPOLOGY: Final = Path("/sys/class/kfd/kfd/topology/nodes")


def query_driver(topology: Path = _TOPOLOGY) -> Driver:
    """See `Devices`: the devices in the order of the driver's nodes."""
    nodes = sorted(topology.glob("*/properties"), key=lambda path: int(path.parent.name))
    devices = (_read_node(node) for node in nodes)
    return Driver(devices=tuple(device for device in devices if device))


def native_architectures(devices: tuple[str, ...]) -> tuple[str, ...]:
    """See `Devices`."""
    return architectures.name_native(devices)


def _read_node(path: Path) -> Device | None:
    """Read one node; None for a processor, which the driver lists as a node too."""
    pairs = (line.split() for line in path.read_text().splitlines())
    properties = {pair[0]: pair[1] for pair in pairs if len(pair) > 1}
    version = int(properties.get("gfx_target_version", "0"))
    if version == 0:
        return None
    # The number is decimal, with two digits each for minor and stepping. In names, these two are
    # hexadecimal.
    major, minor, stepping = version // 10000, version // 100 % 100, version % 100
    name = path.with_name("name")
    return Device(
        name=name.read_text().strip() if name.is_file() else "AMD",
        architecture=f"gfx{major}{minor:x}{stepping:x}",
    )
