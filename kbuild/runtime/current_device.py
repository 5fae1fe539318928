"""The current device of a kernel."""

from __future__ import annotations

from kbuild.backends import open_device, open_library_device
from kbuild.backends.interface.devices import ExecutionDevice
from kbuild.backends.module.launch import ModuleFunction


def find_device(backend: str, registered: ModuleFunction | None) -> ExecutionDevice:
    """Return the current device for a kernel.

    Args:
        backend: The backend that compiled the kernel.
        registered: The kernel in an open library, or None.

    Raises:
        ConfigurationError: Kernels of the backend cannot be run from Python, a package that this
            needs is not installed, or the library of the kernel was closed.
        LaunchError: There is no device.
    """
    if registered is None:
        return open_device(backend)
    if registered.require_open is not None:
        registered.require_open()
    return open_library_device(backend, registered.device)
