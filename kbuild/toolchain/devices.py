"""The devices of this machine. kbuild asks a driver only if the user requests devices."""

from __future__ import annotations

import contextlib

from kbuild.backends import AUTOMATIC, BACKENDS, list_by_preference
from kbuild.backends.interface.devices import Device
from kbuild.errors import ConfigurationError


def list_devices() -> tuple[Device, ...]:
    """List the devices of all drivers."""
    drivers = (backend.devices.query_driver() for backend in BACKENDS.values() if backend.devices)
    return tuple(device for driver in drivers for device in driver.devices)


def list_device_architectures() -> tuple[str, ...]:
    """List the architectures of all devices, each one once."""
    return tuple(dict.fromkeys(device.architecture for device in list_devices()))


def query_architecture(backend: str = AUTOMATIC) -> str:
    """Return the architecture of this machine's first device, as ARCHITECTURES takes it.

    Args:
        backend: The backend. ``auto`` selects the first one that has a device here.

    Raises:
        ConfigurationError: The backend is unknown, or its driver lists no device.
    """
    return choose_device(backend)[1]


def choose_device(backend: str = AUTOMATIC) -> tuple[str, str]:
    """Return the backend on whose device kernels would run, and that device's architecture.

    See `query_architecture`.
    """
    architectures = list_device_architectures()
    if backend != AUTOMATIC:
        return backend, _first_native(backend, architectures)
    *candidates, default = list_by_preference()
    for candidate in candidates:
        with contextlib.suppress(ConfigurationError):
            return candidate, _first_native(candidate, architectures)
    return default, _first_native(default, architectures)


def _first_native(name: str, architectures: tuple[str, ...]) -> str:
    devices = BACKENDS[name].devices if name in BACKENDS else None
    if devices is None:
        known = ", ".join((*(n for n, b in BACKENDS.items() if b.devices), AUTOMATIC))
        raise ConfigurationError(f"unknown BACKEND {name!r}; expected one of {known}")
    return devices.native_architectures(architectures)[0]
