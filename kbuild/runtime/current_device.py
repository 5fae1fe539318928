"""The current device of a kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kbuild.backends import open_device, open_library_device

if TYPE_CHECKING:
    from kbuild.backends.interface.devices import ExecutionDevice
    from kbuild.runtime.compiling.kernel_facts import KernelFacts


def find_device(compiled: KernelFacts) -> ExecutionDevice:
    """Return the current device for a kernel.

    Raises:
        ConfigurationError: Kernels of the backend cannot be run from Python, a package that this
            needs is not installed, or the library of the kernel was closed.
        LaunchError: There is no device.
    """
    if compiled.registered is None:
        return open_device(compiled.backend)
    if compiled.registered.require_open is not None:
        compiled.registered.require_open()
    return open_library_device(compiled.backend, compiled.registered.device)
