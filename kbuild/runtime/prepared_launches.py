"""Prepare launches: make the parts that all launches with one configuration share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from kbuild.backends.interface.devices import ExecutionDevice
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall, Queue
from kbuild.errors import ConfigurationError
from kbuild.runtime.arguments.encoder import ArgumentEncoder
from kbuild.runtime.arguments.launchers import (
    LAUNCHED,
    LAUNCHED_IN_STREAM_OF_ARRAYS,
    NOT_LAUNCHED,
    make_launcher,
)
from kbuild.runtime.launch_dump import dump_launch, find_counter

if TYPE_CHECKING:
    from kbuild.runtime.compiling.kernel_facts import KernelFacts
    from kbuild.runtime.compiling.model import Variant
    from kbuild.runtime.device_code import DeviceCode

# A program has few configurations, but might create a new object for each launch.
_MOST_PREPARED: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedLaunch:
    """The parts that the launches with one configuration share.

    Attributes:
        variant: The code; None for the code of the library that the kernel belongs to.
        call: The launch without the arguments.
        waits: Whether a launch waits for the kernel, because it has no stream.
        launch: `Launcher.launch` for the usual arguments.
        outcome_without_wait: What ``launch`` returns if that is all there is to do.
        count: Counts a launch that is not one of ``launch``; None if launches are not counted.
    """

    config: LaunchConfig
    variant: Variant | None
    queue: Queue
    call: LaunchCall
    waits: bool
    encoder: ArgumentEncoder
    launch: Callable[..., int]
    outcome_without_wait: int
    count: Callable[[], None] | None


class PreparedLaunches:
    """The prepared launches of a kernel on a device; threads can share them."""

    def __init__(self, compiled: KernelFacts, device: ExecutionDevice, code: DeviceCode) -> None:
        self._compiled = compiled
        self._device = device
        self._code = code
        self._prepared: dict[int, PreparedLaunch] = {}
        # Configurations with the same stream share an encoder, so that it knows their types.
        self._encoders: dict[ArrayInterface, ArgumentEncoder] = {}

    def find(self, config: LaunchConfig) -> PreparedLaunch:
        """Return the launch with a configuration, and prepare it if necessary.

        Raises:
            ConfigurationError: ``config`` is not a configuration, or not one for the kernel.
            LaunchError: The code cannot be loaded, or the device refuses the configuration.
            ToolError: The kernel must be compiled again, and that fails.
        """
        prepared = self._prepared.get(id(config))
        if prepared is None or prepared.config is not config:
            require_config(config)
            if len(self._prepared) >= _MOST_PREPARED:
                self._prepared.clear()
                self._encoders.clear()
            prepared = self._prepared[id(config)] = self.prepare(config, config.stream)
            dump_launch(self._compiled, config, prepared.variant)
        return prepared

    def prepare(self, config: LaunchConfig, stream: Any) -> PreparedLaunch:
        """Prepare a launch in a stream."""
        queue = self._device.open_queue(stream)
        self._code.require_block(config)
        variant = self._code.select(config)
        encoder = self._find_encoder(queue)
        call = queue.bind(self._code.load(variant), config)
        find_stream = self._device.find_stream if stream is None else None
        launcher = make_launcher(encoder, call, queue.array_interface, find_stream)
        count = find_counter(self._compiled.display)
        return PreparedLaunch(
            config=config,
            variant=variant,
            queue=queue,
            call=call,
            waits=stream is None,
            encoder=encoder,
            launch=launcher.launch if count is None else _count(launcher.launch, count),
            outcome_without_wait=LAUNCHED_IN_STREAM_OF_ARRAYS if stream is None else LAUNCHED,
            count=count,
        )

    def _find_encoder(self, queue: Queue) -> ArgumentEncoder:
        interface = queue.array_interface
        encoder = self._encoders.get(interface)
        if encoder is None:
            # Compiled launchers keep it alive, so it must not keep the executor alive.
            view_array = self._device.view_array
            encoder = self._encoders[interface] = ArgumentEncoder(
                self._compiled.record,
                view=lambda value: view_array(value, queue),
                interface=interface,
            )
        return encoder


def _count(launch: Callable[..., int], count: Callable[[], None]) -> Callable[..., int]:
    def launch_and_count(*args: object) -> int:
        outcome = launch(*args)
        if outcome != NOT_LAUNCHED:
            count()
        return outcome

    return launch_and_count


def require_config(config: object) -> None:
    """Raise ConfigurationError unless ``config`` is a `LaunchConfig`."""
    if not isinstance(config, LaunchConfig):
        raise ConfigurationError(
            f"the first argument must be a LaunchConfig, not {type(config).__name__}; for "
            "example, run(LaunchConfig(grid=4, block=256), ...)"
        )
