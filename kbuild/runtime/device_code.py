"""The code of a kernel on one device: which variant a launch uses, loaded once."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from kbuild.backends.interface.devices import ExecutionDevice
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError

if TYPE_CHECKING:
    from kbuild.runtime.compiling.kernel_facts import KernelFacts
    from kbuild.runtime.compiling.model import Variant

# Code stays loaded as long as its kernel exists, because device variables keep their values in it:
# by device, then by the id of the variant.
_LOADED: Final[
    WeakKeyDictionary[KernelFacts, dict[ExecutionDevice, dict[int, tuple[Variant, Any]]]]
] = WeakKeyDictionary()
_LOCK: Final = threading.Lock()


class DeviceCode:
    """The code of a kernel on a device.

    Args:
        compiled: The kernel.
        device: The device.
    """

    def __init__(self, compiled: KernelFacts, device: ExecutionDevice) -> None:
        self._compiled = compiled
        self._device = device
        with _LOCK:
            self._functions = _LOADED.setdefault(compiled, {}).setdefault(device, {})

    def select(self, config: LaunchConfig) -> Variant | None:
        """Return the code for a launch; None for that of the library the kernel belongs to.

        Raises:
            ConfigurationError: The kernel needs more registers.
            ToolError: The kernel must be compiled again, and that fails.
        """
        if self._compiled.registered is not None and config.max_registers is None:
            return None
        return self._compiled.select(config.threads, config.max_registers)

    def load(self, variant: Variant | None) -> Any:
        """Return the code, ready to launch.

        Raises:
            LaunchError: The kernel has no image for the device.
        """
        registered = self._compiled.registered
        # The first variant is only read if it is needed: its backend can exist in another process.
        if registered is not None and (variant is None or variant is self._compiled.history[0]):
            return self._device.adopt(registered)
        return self.load_images(variant or self._compiled.history[0])

    def load_images(self, variant: Variant) -> Any:
        """Return the code, loaded from the images of a variant even if a library has it."""
        known = self._functions.get(id(variant))
        if known is None:
            function = self._device.load(variant.images, self._compiled.record)
            kept = {id(each) for each in self._compiled.history}
            for key in self._functions.keys() - kept:  # variants that the kernel has dropped
                self._functions.pop(key, None)
            known = self._functions.setdefault(id(variant), (variant, function))
        return known[1]

    def require_block(self, config: LaunchConfig) -> None:
        """Raise ConfigurationError if the kernel requires another block."""
        if self._compiled.registered is not None:
            return  # the runtime of the library checks this, without reading the images here
        required = self._compiled.resources.required_block
        if required is not None and required != config.block:
            raise ConfigurationError(
                f"{self._compiled.display} requires a block of {required} threads, not "
                f"{config.block}"
            )
