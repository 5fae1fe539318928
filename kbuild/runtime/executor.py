"""`KernelExecutor`: runs compiled kernels, independently of any compiler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from kbuild.backends.interface.launch_config import Extent, LaunchConfig
from kbuild.backends.interface.streams import Stream
from kbuild.errors import ConfigurationError, KbuildError, LaunchError
from kbuild.model import Resources
from kbuild.runtime.arguments.arrays import DeviceArrays
from kbuild.runtime.arguments.encoder import require_sequence
from kbuild.runtime.arguments.launchers import LAUNCHED, NOT_LAUNCHED, submit
from kbuild.runtime.compiling.kernel_facts import KernelFacts
from kbuild.runtime.compiling.model import Variant
from kbuild.runtime.current_device import find_device
from kbuild.runtime.device_code import DeviceCode
from kbuild.runtime.launch_records.capture import capture_launch
from kbuild.runtime.launch_records.model import LaunchRecord
from kbuild.runtime.prepared_launches import PreparedLaunch, PreparedLaunches, require_config


@dataclass(frozen=True, slots=True, kw_only=True)
class LastLaunch:
    """The configuration, the code, and the resources of a launch.

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

    def __init__(self, compiled: KernelFacts) -> None:
        if not isinstance(compiled, KernelFacts):
            raise ConfigurationError(
                f"a KernelExecutor takes a CompiledKernel, not {type(compiled).__name__}; "
                "get one from a compiled module by name: KernelExecutor(module[name])"
            )
        self.compiled = compiled
        self._device = find_device(compiled.backend, compiled.registered)
        # See `ExecutionDevice`.
        self.is_current = self._device.is_current
        self._code = DeviceCode(compiled, self._device)
        self._prepared = PreparedLaunches(compiled, self._device, self._code)
        self._last: PreparedLaunch | None = None

    def __repr__(self) -> str:
        return f"<executor of {self.compiled.display}>"

    def __reduce__(self) -> tuple[type[KernelExecutor], tuple[KernelFacts]]:
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
        prepared = self._last
        try:
            if prepared is None or prepared.config is not config:
                prepared = None  # a failure is not one of the last launch
                self._last = prepared = self._prepared.find(config)
            outcome = NOT_LAUNCHED if profile else prepared.launch(*args)
            if outcome != prepared.outcome_without_wait:
                return self._finish(prepared, outcome, args, profile=profile)
        except LaunchError as error:
            raise self._explain(error, prepared) from None
        return None

    @property
    def last_launch(self) -> LastLaunch | None:
        """The last launch in any thread; None before the first launch."""
        prepared = self._last
        if prepared is None:
            return None
        variant = prepared.variant or self.compiled.history[0]
        return LastLaunch(
            config=prepared.config,
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
        variant = self._code.select(config) or self.compiled.history[0]
        function = self._code.load_images(variant)
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
        """Return a function that launches like `run` with this configuration."""
        prepared: PreparedLaunch | None = None

        # The body of `run` for one configuration.  A call of `run` would take as long as the rest.
        def launch(*args: object, profile: bool = False) -> float | None:
            nonlocal prepared
            try:
                if prepared is None:
                    prepared = self._prepared.find(config)
                self._last = prepared
                outcome = NOT_LAUNCHED if profile else prepared.launch(*args)
                if outcome != prepared.outcome_without_wait:
                    return self._finish(prepared, outcome, args, profile=profile)
            except LaunchError as error:
                raise self._explain(error, prepared) from None
            return None

        return launch

    def capture(self, config: LaunchConfig, *args: object) -> LaunchRecord:
        """Return a record of the launch for `write_launch_record`, without running the kernel.

        The record holds copies of the arrays.

        Raises:
            ConfigurationError: The arguments do not fit the parameters.
        """
        require_config(config)
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
            self._code.load(self._code.select(LaunchConfig(grid=1, block=1)))
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

    def _explain(self, error: LaunchError, prepared: PreparedLaunch | None) -> LaunchError:
        """Return the error of a launch with the name of the kernel, and with a possible fix."""
        reason = None
        with contextlib.suppress(KbuildError):  # images that cannot be read
            if prepared is not None:
                variant = prepared.variant or self.compiled.history[0]
                reason = self.compiled.explain_failed_launch(
                    prepared.config.threads, variant, self._device
                )
        return LaunchError(f"{self.compiled.display}: {error}{f'; {reason}' if reason else ''}")

    def _finish(
        self, prepared: PreparedLaunch, outcome: int, args: Sequence[object], *, profile: bool
    ) -> float | None:
        """Wait for a launch if necessary, or do the work that a launcher leaves to the executor."""
        if outcome == NOT_LAUNCHED:
            return self._run_with_arrays(prepared, args, profile=profile)
        if outcome == LAUNCHED:
            prepared.queue.synchronize()
        return None

    def _run_with_arrays(
        self, prepared: PreparedLaunch, args: Sequence[object], *, profile: bool
    ) -> float | None:
        """Launch with arrays that are copied or have a stream, or measure a launch."""
        stream = self._device.find_stream(args) if prepared.waits else None
        if stream is not None:
            prepared = self._prepared.prepare(prepared.config, stream)
        arguments = prepared.encoder.convert(args)
        with DeviceArrays(prepared.queue) as arrays:
            frame = prepared.encoder.make_frame(arrays.copy_in(arguments))
            stop = prepared.queue.start_timer() if profile else None
            submit(prepared.call, frame, arguments)
            if prepared.count is not None:
                prepared.count()
            seconds = stop() if stop else None
            if prepared.waits or arrays:
                prepared.queue.synchronize()
            arrays.copy_back()
        return seconds
