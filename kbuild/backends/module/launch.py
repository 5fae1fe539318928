"""Launches through the entry points of a module: configurations, and kernels to launch."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.backends.interface.queue import LaunchCall
from kbuild.backends.module import abi
from kbuild.backends.module.runtime import Device
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ModuleFunction:
    """A registered kernel.

    Attributes:
        device: The entry points of the runtime that registered the kernel.
        handle: The address that identifies the kernel to this runtime.
        owner: The object that keeps the kernel registered.
        require_open: Raises ConfigurationError if the owner was closed; None if nobody can
            close it.
    """

    device: Device
    handle: int
    owner: Any
    require_open: Callable[[], None] | None

    def resolve(self) -> None:
        """Load the device image now; raise LaunchError if no image fits the device."""
        if self.require_open is not None:
            self.require_open()
        self.device.resolve(self.handle)

    def bind(
        self, config: LaunchConfig, stream: int = 0, prepare: Callable[[], None] | None = None
    ) -> LaunchCall:
        """Return the call that launches the kernel in the stream at this address.

        Args:
            config: The configuration.
            stream: The address of the stream.
            prepare: Runs before each launch.
        """
        return LaunchCall(
            entry=self.device.launch_address,
            function=self.handle,
            config=bytes(encode_config(config, stream)),
            stream_offset=abi.LaunchConfig.stream.offset,
            is_driver=False,
            prepare=_join(self.require_open, prepare),
            keep=None,
            recover=self._fail,
            owner=self,
        )

    def _fail(self, status: int, is_first: bool) -> bool:  # noqa: ARG002 - see LaunchCall
        self.device.check(status, "launching")
        return False


def _join(
    first: Callable[[], None] | None, second: Callable[[], None] | None
) -> Callable[[], None] | None:
    """Return a function that calls both, if there are both."""
    if first is None or second is None:
        return first or second

    def call_both() -> None:
        first()
        second()

    return call_both


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
