"""`KernelExecutor`: runs a compiled kernel; it knows of no compiler."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from kbuild.backends import open_device
from kbuild.backends.interface.devices import ArrayView, ExecutionDevice, Queue
from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.runtime.arguments.arrays import DeviceArrays
from kbuild.runtime.arguments.encode import encode_arguments
from kbuild.runtime.arguments.frames import Frame, FrameLayout
from kbuild.runtime.compiling.kernel import CompiledKernel, Variant
from kbuild.runtime.launch import write_arguments
from kbuild.runtime.launch_records.capture import capture_launch
from kbuild.runtime.launch_records.model import LaunchRecord

# A program has few configurations, and may make them anew for each launch.
_MOST_PLANS: Final = 64
# Code stays loaded as long as its kernel is there: by device, by the address of the variant.
_LOADED: Final[
    WeakKeyDictionary[CompiledKernel, dict[ExecutionDevice, dict[int, tuple[Variant, Any]]]]
] = WeakKeyDictionary()
_LOADED_LOCK: Final = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Plan:
    """A configuration made ready.

    ``submit`` launches with the arguments in a frame; ``waits`` where the caller named no stream;
    the others are those of a `FrameLayout`.
    """

    config: LaunchConfig
    queue: Queue
    submit: Callable[[Frame], None]
    waits: bool
    fill: Callable[[Sequence[Any]], Frame | None]
    give_back: Callable[[Frame], None]


class KernelExecutor:
    """Launches one kernel; threads may share it.

    It is for the device that is current where it is made, and makes that current to launch.

    ConfigurationError where kernels of its backend cannot be run from Python or what that takes
    is not installed, LaunchError where there is no device.
    """

    def __init__(self, compiled: CompiledKernel) -> None:
        if not isinstance(compiled, CompiledKernel):
            raise ConfigurationError(
                f"a KernelExecutor takes a CompiledKernel, not {type(compiled).__name__}; "
                "modules have theirs by name: KernelExecutor(module[name])"
            )
        self.compiled = compiled
        self._device: ExecutionDevice = open_device(compiled.backend)
        self._functions = _find_functions(compiled, self._device)
        self._plans: dict[int, _Plan] = {}

    def __repr__(self) -> str:
        return f"<executor of {self.compiled.display}>"

    def __reduce__(self) -> tuple[type[KernelExecutor], tuple[CompiledKernel]]:
        """It pickles as its kernel, and is for the device that is current where it is read."""
        return KernelExecutor, (self.compiled,)

    def run(self, config: LaunchConfig, *args: object, profile: bool = False) -> float | None:
        """Launch with ``args``, one a parameter.

        Python and numpy scalars are checked against the parameters.  numpy arrays are copied to
        the device and, unless they are read-only or the pointer is to const, back.  Other
        libraries' arrays (DLPack, ``__cuda_array_interface__``) and addresses are passed as they
        are, and have to lie where the device can use them.

        Without a stream in ``config``, and where arrays are copied, the kernel has run when this
        returns; with one it may still be running.  ``profile`` measures by device events, waits,
        and returns seconds; else it returns None.  Raises ConfigurationError for arguments that
        do not fit, LaunchError for what the device refuses or the kernel does wrong, ToolError
        where the kernel has to be compiled again for ``config`` and cannot be.
        """
        plan = self._plans.get(id(config))
        try:
            if plan is None or plan.config is not config:
                plan = self._make_plan(config)
            frame = None if profile else plan.fill(args)
            if frame is None:
                return self._run_checked(plan, args, profile=profile)
            plan.submit(frame)
            plan.give_back(frame)
            if plan.waits:
                plan.queue.synchronize()
        except LaunchError as error:
            raise LaunchError(f"{self.compiled.display}: {error}") from None
        return None

    def capture(self, config: LaunchConfig, *args: object) -> LaunchRecord:
        """The launch as a record, for `write_launch_record`; nothing is run.

        Arrays are copied into it.  Raises as `run` does for arguments that do not fit.
        """
        _require_config(config)
        queue = self._device.open_queue(config.stream)
        return capture_launch(
            self.compiled, config, args, view=lambda value: self._device.view_array(value, queue)
        )

    def resolve(self) -> None:
        """Load the kernel now; LaunchError where no image is for the device."""
        self._load(self.compiled.select(1))

    def synchronize(self, stream: Any = None) -> None:
        """Wait for all launches in ``stream``; LaunchError for what went wrong in them."""
        self._device.open_queue(stream).synchronize()

    def _make_plan(self, config: LaunchConfig) -> _Plan:
        """What of a launch is the same each time."""
        _require_config(config)
        self._require_block(config)
        variant = self.compiled.select(config.threads, config.max_registers)
        queue = self._device.open_queue(config.stream)
        layout = FrameLayout(self.compiled.params, queue.array_interface)
        plan = _Plan(
            config=config,
            queue=queue,
            submit=queue.bind(self._load(variant), config),
            waits=config.stream is None,
            fill=layout.fill,
            give_back=layout.give_back,
        )
        if len(self._plans) >= _MOST_PLANS:
            self._plans.clear()
        self._plans[id(config)] = plan
        return plan

    def _require_block(self, config: LaunchConfig) -> None:
        required = self.compiled.resources.required_block
        if required is not None and required != config.block:
            raise ConfigurationError(
                f"{self.compiled.display} takes blocks of {required} threads alone, not "
                f"{config.block}"
            )

    def _load(self, variant: Variant) -> Any:
        known = self._functions.get(id(variant))
        if known is None:
            function = self._device.load(variant.images, self.compiled.record)
            kept = {id(each) for each in self.compiled.history}
            for key in self._functions.keys() - kept:  # the cache of code has dropped these
                self._functions.pop(key, None)
            known = self._functions.setdefault(id(variant), (variant, function))
        return known[1]

    def _run_checked(self, plan: _Plan, args: Sequence[object], *, profile: bool) -> float | None:
        queue = plan.queue
        views: list[ArrayView] = []  # their memory is kept until the kernel has it

        def view(value: object) -> ArrayView | None:
            found = self._device.view_array(value, queue)
            if found is not None:
                views.append(found)
            return found

        arguments = encode_arguments(self.compiled.record, args, view=view)
        frame = Frame(self.compiled.params)
        with DeviceArrays(queue) as arrays:
            write_arguments(frame, arguments, arrays)
            stop = queue.start_timer() if profile else None
            plan.submit(frame)
            seconds = stop() if stop else None
            if plan.waits or arrays:
                queue.synchronize()
            arrays.copy_back()
        return seconds


def _find_functions(
    compiled: CompiledKernel, device: ExecutionDevice
) -> dict[int, tuple[Variant, Any]]:
    """What is loaded of the kernel; executors come and go, and device variables stay."""
    with _LOADED_LOCK:
        return _LOADED.setdefault(compiled, {}).setdefault(device, {})


def _require_config(config: object) -> None:
    if not isinstance(config, LaunchConfig):
        raise ConfigurationError(
            f"the first argument is a LaunchConfig, not {type(config).__name__}; "
            "such as run(LaunchConfig(grid=4, block=256), ...)"
        )
