"""`KernelExecutor`: runs compiled kernels, independently of any compiler."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

from kbuild.backends.interface.devices import (
    ArrayInterface,
    ExecutionDevice,
    LaunchCall,
    Queue,
)
from kbuild.backends.interface.launch_config import Extent, LaunchConfig
from kbuild.backends.interface.streams import Stream
from kbuild.errors import ConfigurationError, KbuildError, LaunchError
from kbuild.model import Resources
from kbuild.runtime.arguments.arrays import DeviceArrays
from kbuild.runtime.arguments.encoder import ArgumentEncoder, require_sequence
from kbuild.runtime.arguments.launchers import (
    LAUNCHED,
    LAUNCHED_IN_STREAM_OF_ARRAYS,
    NOT_LAUNCHED,
    make_launcher,
    submit,
)
from kbuild.runtime.compiling.compiled_kernel import CompiledKernel
from kbuild.runtime.compiling.dump import dump_launch
from kbuild.runtime.compiling.model import Variant
from kbuild.runtime.current_device import find_device
from kbuild.runtime.launch_records.capture import capture_launch
from kbuild.runtime.launch_records.model import LaunchRecord

# A program has few configurations, but might create a new object for each launch.
_MOST_PLANS: Final = 64
# Device code stays loaded as long as its kernel exists: by device, then by the id of the variant.
_LOADED: Final[
    WeakKeyDictionary[CompiledKernel, dict[ExecutionDevice, dict[int, tuple[Variant, Any]]]]
] = WeakKeyDictionary()
_LOADED_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """Everything about the launches with one configuration that does not change.

    Attributes:
        variant: The code; None for the code of the library that the kernel belongs to.
        call: The launch without the arguments.
        waits: Whether a launch waits for the kernel, because it has no stream.
        launch: `Launcher.launch` for the usual arguments.
        outcome_without_wait: What ``launch`` returns if that is all there is to do.
    """

    config: LaunchConfig
    variant: Variant | None
    queue: Queue
    call: LaunchCall
    waits: bool
    encoder: ArgumentEncoder
    launch: Callable[..., int]
    outcome_without_wait: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LastLaunch:
    """What a launch used.

    Attributes:
        config: The configuration.
        variant: The code.  If it has several images, its ``resources`` are those of the first one.
        resources: The registers, spills, and memory of the image that the device runs.
    """

    config: LaunchConfig
    variant: Variant
    resources: Resources


class KernelExecutor:
    """Launches one kernel; threads can share it.

    It uses the device that is current when it is created, and makes that device current for
    each launch.

    Raises:
        ConfigurationError: Kernels of the backend cannot be run from Python, or a package that
            this needs is not installed.
        LaunchError: There is no device.
    """

    def __init__(self, compiled: CompiledKernel) -> None:
        if not isinstance(compiled, CompiledKernel):
            raise ConfigurationError(
                f"a KernelExecutor takes a CompiledKernel, not {type(compiled).__name__}; "
                "get one from a compiled module by name: KernelExecutor(module[name])"
            )
        self.compiled = compiled
        self._device = find_device(compiled)
        # Whether the executor's device is the current device of this thread.
        self.is_current: Callable[[], bool] = self._device.is_current
        self._functions = _find_functions(compiled, self._device)
        self._plans: dict[int, _Plan] = {}
        self._last: _Plan | None = None
        # Configurations with the same stream share an encoder, so that it knows their types.
        self._encoders: dict[ArrayInterface, ArgumentEncoder] = {}

    def __repr__(self) -> str:
        return f"<executor of {self.compiled.display}>"

    def __reduce__(self) -> tuple[type[KernelExecutor], tuple[CompiledKernel]]:
        """Pickle the kernel; loading uses the device that is current then."""
        return KernelExecutor, (self.compiled,)

    def run(self, config: LaunchConfig, *args: object, profile: bool = False) -> float | None:
        """Launch the kernel with ``args``, one per parameter.

        Python and NumPy scalars are checked against the parameters.  NumPy arrays are copied to
        the device and, unless they are read-only or the parameter points to const, back.  Arrays
        of other libraries (DLPack, ``__cuda_array_interface__``) and addresses are passed as they
        are; the device must be able to use their memory.

        If ``config`` has no stream, the kernel runs in the stream that the arrays' library uses
        now, such as PyTorch's current stream, in order with the library's own work.  If there is no
        such stream, or if arrays are copied, the kernel has finished when this method returns.
        Otherwise it might still be running.

        Args:
            config: The launch configuration.
            args: The arguments.
            profile: Measure the time with device events, and wait for the kernel.

        Returns:
            The time in seconds with ``profile``, otherwise None.

        Raises:
            ConfigurationError: The arguments do not fit the parameters.
            LaunchError: The device refuses the launch, or the kernel fails.
            ToolError: The kernel must be compiled again for ``config``, and that fails.
        """
        try:
            plan = self._last
            if plan is None or plan.config is not config:
                plan = self._plans.get(id(config))
                if plan is None or plan.config is not config:
                    plan = self._add_plan(config)
                self._last = plan
            outcome = NOT_LAUNCHED if profile else plan.launch(*args)
            if outcome != plan.outcome_without_wait:
                return self._finish(plan, outcome, args, profile=profile)
        except LaunchError as error:
            raise self._explain(error, config) from None
        return None

    @property
    def last_launch(self) -> LastLaunch | None:
        """What the last launch used, in any thread; None before the first launch."""
        plan = self._last
        if plan is None:
            return None
        variant = plan.variant or self.compiled.history[0]
        return LastLaunch(
            config=plan.config,
            variant=variant,
            resources=self.compiled.read_resources(variant, self._device),
        )

    def max_active_blocks(self, block: Extent, shared_bytes: int = 0) -> int:
        """Return how many blocks a multiprocessor, or a core of the CPU, runs at the same time.

        A cooperative launch can have this many blocks for each multiprocessor.

        Args:
            block: The number of threads per block, as in `LaunchConfig`.
            shared_bytes: The size of the dynamic shared memory in bytes.

        Raises:
            ConfigurationError: An argument is out of range, or the backend cannot tell.
            LaunchError: The kernel has no image for the device, or the driver reports an error.
        """
        config = LaunchConfig(grid=1, block=block, shared_bytes=shared_bytes)
        # A driver knows code that it has loaded, but not the functions of a library.
        variant = self._select(config) or self.compiled.history[0]
        function = self._load_images(variant)
        return self._device.count_active_blocks(function, config.threads, config.shared_bytes)

    def run_all(self, config: LaunchConfig, args: Sequence[object]) -> None:
        """Launch the kernel like `run`, with the arguments in one sequence, and wait for it.

        Raises:
            ConfigurationError: ``args`` is not a sequence of arguments that fit the parameters.
            LaunchError: The device refuses the launch, or the kernel fails.
        """
        require_sequence(self.compiled.record, args)
        self.run(config, *args)
        stream = self._device.find_stream(args) if config.stream is None else None
        if stream is not None:
            self.synchronize(stream)

    def bind(self, config: LaunchConfig) -> Callable[..., float | None]:
        """Return `run` with this configuration."""
        return partial(self.run, config)

    def capture(self, config: LaunchConfig, *args: object) -> LaunchRecord:
        """Return a record of the launch for `write_launch_record`, without running the kernel.

        The record holds copies of the arrays.

        Raises:
            ConfigurationError: The arguments do not fit the parameters.
        """
        _require_config(config)
        queue = self._device.open_queue(config.stream)
        return capture_launch(
            self.compiled, config, args, view=lambda value: self._device.view_array(value, queue)
        )

    def resolve(self) -> None:
        """Load the kernel now.

        Raises:
            LaunchError: The kernel has no image for the device.
        """
        try:
            self._load(self._select(LaunchConfig(grid=1, block=1)))
        except LaunchError as error:
            raise LaunchError(f"{self.compiled.display}: {error}") from None

    def create_stream(self) -> Stream:
        """Create a stream on the device of the executor.

        Pass it as ``stream`` of a configuration, for any kernel on this device.  Its work does not
        wait for that of the default stream.

        Raises:
            ConfigurationError: The kernel belongs to a library whose runtime cannot do this.
            LaunchError: The device reports an error.
        """
        return self._device.create_stream()

    def synchronize(self, stream: Any = None) -> None:
        """Wait for all launches in ``stream``.

        Raises:
            LaunchError: One of the launches failed.
        """
        self._device.open_queue(stream).synchronize()

    def _explain(self, error: LaunchError, config: LaunchConfig) -> LaunchError:
        """Return the error of a launch with the name of the kernel, and what can help."""
        plan = self._plans.get(id(config))
        reason = None
        with contextlib.suppress(KbuildError):  # images that cannot be read
            if plan is not None:
                variant = plan.variant or self.compiled.history[0]
                reason = self.compiled.explain_failed_launch(config.threads, variant, self._device)
        return LaunchError(f"{self.compiled.display}: {error}{f'; {reason}' if reason else ''}")

    def _add_plan(self, config: LaunchConfig) -> _Plan:
        _require_config(config)
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
            self._encoders.clear()
        plan = self._plans[id(config)] = self._make_plan(config, config.stream)
        dump_launch(self.compiled, config, plan.variant)
        return plan

    def _make_plan(self, config: LaunchConfig, stream: Any) -> _Plan:
        queue = self._device.open_queue(stream)
        self._require_block(config)
        encoder = self._find_encoder(queue)
        variant = self._select(config)
        call = queue.bind(self._load(variant), config)
        find_stream = self._device.find_stream if stream is None else None
        launcher = make_launcher(encoder, call, queue.array_interface, find_stream)
        return _Plan(
            config=config,
            variant=variant,
            queue=queue,
            call=call,
            waits=stream is None,
            encoder=encoder,
            launch=launcher.launch,
            outcome_without_wait=LAUNCHED_IN_STREAM_OF_ARRAYS if stream is None else LAUNCHED,
        )

    def _find_encoder(self, queue: Queue) -> ArgumentEncoder:
        interface = queue.array_interface
        encoder = self._encoders.get(interface)
        if encoder is None:
            # Compiled launchers keep it alive, so it must not keep the executor alive.
            view_array = self._device.view_array
            encoder = self._encoders[interface] = ArgumentEncoder(
                self.compiled.record,
                view=lambda value: view_array(value, queue),
                interface=interface,
            )
        return encoder

    def _require_block(self, config: LaunchConfig) -> None:
        if self.compiled.registered is not None:
            return  # the runtime of the library checks this, without reading the images here
        required = self.compiled.resources.required_block
        if required is not None and required != config.block:
            raise ConfigurationError(
                f"{self.compiled.display} requires a block of {required} threads, not "
                f"{config.block}"
            )

    def _select(self, config: LaunchConfig) -> Variant | None:
        """Return the code for a launch; None for that of the library the kernel belongs to."""
        if self.compiled.registered is not None and config.max_registers is None:
            return None
        return self.compiled.select(config.threads, config.max_registers)

    def _load(self, variant: Variant | None) -> Any:
        """Return the code, ready to launch."""
        registered = self.compiled.registered
        if registered is not None and (variant is None or variant is self.compiled.history[0]):
            return self._device.adopt(registered)
        return self._load_images(variant or self.compiled.history[0])

    def _load_images(self, variant: Variant) -> Any:
        """Return the code, loaded from the images of a variant even if a library has it."""
        known = self._functions.get(id(variant))
        if known is None:
            function = self._device.load(variant.images, self.compiled.record)
            kept = {id(each) for each in self.compiled.history}
            for key in self._functions.keys() - kept:  # variants that the kernel has dropped
                self._functions.pop(key, None)
            known = self._functions.setdefault(id(variant), (variant, function))
        return known[1]

    def _finish(
        self, plan: _Plan, outcome: int, args: Sequence[object], *, profile: bool
    ) -> float | None:
        """Wait for a launch if necessary, or do what a launcher leaves to the executor."""
        if outcome == NOT_LAUNCHED:
            return self._run_with_arrays(plan, args, profile=profile)
        if outcome == LAUNCHED:
            plan.queue.synchronize()
        return None

    def _run_with_arrays(
        self, plan: _Plan, args: Sequence[object], *, profile: bool
    ) -> float | None:
        """Launch with arrays that are copied or have a stream, or measure a launch."""
        stream = self._device.find_stream(args) if plan.waits else None
        if stream is not None:
            plan = self._make_plan(plan.config, stream)
        arguments = plan.encoder.convert(args)
        with DeviceArrays(plan.queue) as arrays:
            frame = plan.encoder.make_frame(arrays.copy_in(arguments))
            stop = plan.queue.start_timer() if profile else None
            submit(plan.call, frame, arguments)
            seconds = stop() if stop else None
            if plan.waits or arrays:
                plan.queue.synchronize()
            arrays.copy_back()
        return seconds


def _find_functions(
    compiled: CompiledKernel, device: ExecutionDevice
) -> dict[int, tuple[Variant, Any]]:
    """Return the loaded functions of the kernel, which outlive executors.

    Device variables keep their values as long as the code stays loaded.
    """
    with _LOADED_LOCK:
        return _LOADED.setdefault(compiled, {}).setdefault(device, {})


def _require_config(config: object) -> None:
    if not isinstance(config, LaunchConfig):
        raise ConfigurationError(
            f"the first argument must be a LaunchConfig, not {type(config).__name__}; for "
            "example, run(LaunchConfig(grid=4, block=256), ...)"
        )
