"""Launches through the entry points of a module: configurations, and kernels to launch."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from kbuild.backends.interface.devices import Arguments
from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.backends.module import abi
from kbuild.backends.module.runtime import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFunction:
    """A registered kernel.

    Attributes:
        device: The entry points of the runtime that registered the kernel.
        handle: The address that identifies the kernel to this runtime.
        owner: The object that keeps the kernel registered.
        require_open: Raises ConfigurationError if the owner was closed.
    """

    device: Device
    handle: int
    owner: Any
    require_open: Callable[[], None]

    def resolve(self) -> None:
        """Load the device image now; raise LaunchError if no image fits the device."""
        self.require_open()
        self.device.resolve(self.handle)

    def bind(self, config: LaunchConfig, stream: int = 0) -> Callable[[Arguments], None]:
        """Return a call that launches the kernel in the stream at this address.

        It reads the arguments before it returns.
        """
        handle, launch = self.handle, self.device.launch
        encoded = ctypes.pointer(encode_config(config, stream))

        def submit(arguments: Arguments) -> None:
            self.require_open()  # the closure keeps the owner alive, too
            launch(handle, encoded, arguments.pointers)

        return submit


def encode_config(config: LaunchConfig, stream: int = 0) -> abi.LaunchConfig:
    """Return the configuration as ``struct kbuild_launch_config``."""
    return abi.LaunchConfig(
        grid=abi.Dim3(*read_extent("grid", config.grid)),
        block=abi.Dim3(*read_extent("block", config.block)),
        shared_bytes=config.shared_bytes,
        stream=stream,
        cluster=abi.Dim3(*read_extent("cluster", config.cluster)) if config.cluster else abi.Dim3(),
        cooperative=config.cooperative,
        programmatic_dependent_launch=config.programmatic_dependent_launch,
        priority=config.priority,
    )
