"""CUDA streams: memory, launches, and events.

Launches go to the driver through the bindings below cuda-core. cuda-core's own launch function
accepts neither structures nor priorities, and numbers only as NumPy scalars, whose conversion takes
longer than the call.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, Final

from kbuild.backends.cuda.driver import (
    ARRAY_INTERFACE,
    SUCCESS,
    check,
    cuda,
    driver,
    explain,
    explained,
)
from kbuild.backends.interface.devices import Arguments, ArrayInterface
from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.backends.module.launch import ModuleFunction
from kbuild.errors import LaunchError

# The shared memory of a kernel, static and dynamic together, unless it requests more.
_SHARED_BYTES: Final = 48 << 10
# The driver's attributes are 32-bit numbers.
_LARGEST_SHARED: Final = 2**31 - 1
# The errors of a launch while another device is current.
_OTHER_DEVICE: Final = (
    driver.CUresult.CUDA_ERROR_INVALID_CONTEXT,
    driver.CUresult.CUDA_ERROR_INVALID_HANDLE,
)


class CudaFunction:
    """A loaded kernel; ``shared_bytes`` is the maximum dynamic shared memory of its launches."""

    __slots__ = ("function", "kernel", "library", "shared_bytes")

    def __init__(self, kernel: Any, library: Any) -> None:
        self.kernel = kernel
        self.library = library  # other launches find it as long as this object exists
        self.function = check(driver.cuKernelGetFunction(driver.CUkernel(int(kernel.handle))))
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES
        static = check(driver.cuFuncGetAttribute(attribute, self.function))
        self.shared_bytes = max(_SHARED_BYTES - int(static), 0)

    def allow_shared(self, size: int) -> None:
        """Let the driver accept launches with this much dynamic shared memory."""
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        check(driver.cuFuncSetAttribute(self.function, attribute, size))
        self.shared_bytes = size


class CudaQueue:
    """A CUDA stream."""

    def __init__(self, device: Any, stream: Any) -> None:
        self._device = device
        self._stream = stream
        self._handle = driver.CUstream(int(stream.handle))
        self._buffers: dict[int, Any] = {}

    @property
    def handle(self) -> int:
        """The address of the stream."""
        return int(self._handle)

    @property
    def array_interface(self) -> ArrayInterface:
        """See `Queue`."""
        return ArrayInterface(attribute=ARRAY_INTERFACE, stream=self.handle)

    def bind(
        self, function: CudaFunction | ModuleFunction, config: LaunchConfig
    ) -> Callable[[Arguments], None]:
        """See `Queue`."""
        if isinstance(function, ModuleFunction):
            return self._bind_registered(function, config)
        device = self._device
        device.enter()
        if config.shared_bytes > _LARGEST_SHARED:
            raise LaunchError(
                f"shared_bytes is {config.shared_bytes}; expected at most {_LARGEST_SHARED}"
            )
        if config.shared_bytes > function.shared_bytes:
            function.allow_shared(config.shared_bytes)
        current, make_current = device.current, device.make_current
        encoded = _encode_config(config, self._handle)
        launch = driver.cuLaunchKernelEx

        def submit(arguments: Arguments) -> None:
            if current.device is not device:
                make_current()
            # The closure keeps the function's code loaded.
            (status,) = launch(encoded, function.function, arguments.address, 0)
            if status is not SUCCESS and status in _OTHER_DEVICE:
                # Another library can have made its own device current.
                make_current()
                (status,) = launch(encoded, function.function, arguments.address, 0)
            if status is not SUCCESS and status != SUCCESS:
                raise LaunchError(f"launching failed: {explain(status)}")

        return submit

    def _bind_registered(
        self, function: ModuleFunction, config: LaunchConfig
    ) -> Callable[[Arguments], None]:
        make_current = self._device.make_current
        launch = function.bind(config, self.handle)

        def submit(arguments: Arguments) -> None:
            # Unlike the driver, a runtime launches on whichever device is current.
            make_current()
            launch(arguments)

        return submit

    def synchronize(self) -> None:
        """See `Queue`."""
        self._device.enter()
        (status,) = driver.cuStreamSynchronize(self._handle)
        if status != SUCCESS:
            raise LaunchError(f"running failed: {explain(status)}")

    def start_timer(self) -> Callable[[], float]:
        """See `Queue`: events before and after the launches."""
        self._device.make_current()
        options = cuda.EventOptions(timing_enabled=True)
        with explained("recording an event"):
            start = self._stream.record(options=options)

        def stop() -> float:
            with explained("running"):
                end = self._stream.record(options=options)
                end.sync()
                return float(end - start) / 1e3

        return stop

    def allocate(self, size: int) -> int:
        """See `Queue`."""
        if size == 0:
            return 0
        self._device.make_current()
        with explained(f"allocating {size} bytes"):
            buffer = self._device.device.allocate(size, stream=self._stream)
        address = int(buffer.handle)
        self._buffers[address] = buffer
        return address

    def release(self, address: int) -> None:
        """See `Queue`."""
        buffer = self._buffers.pop(address, None)
        if buffer is not None:
            # After a failed kernel, the driver rejects every call.
            with contextlib.suppress(Exception):
                buffer.close(self._stream)

    def copy_in(self, device: int, host: int, size: int) -> None:
        """See `Queue`."""
        self._device.enter()
        check(driver.cuMemcpyHtoDAsync(device, host, size, self._handle), "copying to the device")

    def copy_out(self, host: int, device: int, size: int) -> None:
        """See `Queue`."""
        self._device.enter()
        check(driver.cuMemcpyDtoHAsync(host, device, size, self._handle), "copying from the device")
        self.synchronize()


def _encode_config(config: LaunchConfig, stream: Any) -> Any:
    encoded = driver.CUlaunchConfig()
    grid = read_extent("grid", config.grid)
    block = read_extent("block", config.block)
    encoded.gridDimX, encoded.gridDimY, encoded.gridDimZ = grid
    encoded.blockDimX, encoded.blockDimY, encoded.blockDimZ = block
    encoded.sharedMemBytes = config.shared_bytes
    encoded.hStream = stream
    attributes = _list_attributes(config)
    encoded.numAttrs = len(attributes)
    if attributes:
        encoded.attrs = attributes
    return encoded


def _list_attributes(config: LaunchConfig) -> list[Any]:
    ids = driver.CUlaunchAttributeID
    values: list[tuple[Any, str, Any]] = []
    if config.cluster is not None:
        values.append((ids.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, "clusterDim", config.cluster))
    if config.cooperative:
        values.append((ids.CU_LAUNCH_ATTRIBUTE_COOPERATIVE, "cooperative", 1))
    if config.programmatic_dependent_launch:
        name = ids.CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION
        values.append((name, "programmaticStreamSerializationAllowed", 1))
    if config.priority:
        values.append((ids.CU_LAUNCH_ATTRIBUTE_PRIORITY, "priority", config.priority))
    return [_make_attribute(*value) for value in values]


def _make_attribute(number: Any, member: str, value: Any) -> Any:
    attribute = driver.CUlaunchAttribute()
    attribute.id = number
    if member == "clusterDim":
        dimensions = attribute.value.clusterDim
        dimensions.x, dimensions.y, dimensions.z = value
    else:
        setattr(attribute.value, member, value)
    return attribute
