"""CUDA streams: memory, launches and events.

Launches that cuda-core's own ``launch`` does not take (structures, priorities) go to the driver
through its bindings.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kbuild.backends.cuda_conversion import find_converter
from kbuild.backends.cuda_driver import SUCCESS, check, cuda, driver, explain, explained
from kbuild.backends.execution import Arguments
from kbuild.errors import LaunchError
from kbuild.model import Param
from kbuild.runtime.conversion import Converter, ValueConverter
from kbuild.runtime.launch_config import LaunchConfig, read_extent
from kbuild.runtime.parameters import Meaning

# More than every device gives a kernel that did not ask for more.
_SHARED_BYTES: Final = 48 << 10


class CudaFunction:
    """A loaded kernel; ``shared_bytes`` is how much of it launches may ask for."""

    __slots__ = ("function", "kernel", "shared_bytes")

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel  # keeps its library loaded
        self.function = check(driver.cuKernelGetFunction(driver.CUkernel(int(kernel.handle))))
        self.shared_bytes = _SHARED_BYTES

    def allow_shared(self, size: int) -> None:
        """Have the driver take launches with so much dynamic shared memory."""
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        check(driver.cuFuncSetAttribute(self.function, attribute, size))
        self.shared_bytes = size


@dataclass(frozen=True, slots=True, kw_only=True)
class _EncodedConfig:
    """A configuration as the driver's launches take it, and cuda-core's where it can."""

    plain: tuple[Any, ...]
    extended: Any
    core: Any


class CudaQueue:
    """A stream."""

    def __init__(self, device: Any, stream: Any) -> None:
        self._device = device
        self._stream = stream
        self._handle = driver.CUstream(int(stream.handle))
        self._buffers: dict[int, Any] = {}

    @property
    def handle(self) -> int:
        """The stream's address."""
        return int(self._handle)

    def encode_config(self, config: LaunchConfig) -> _EncodedConfig:
        """See `Queue`."""
        grid = read_extent("grid", config.grid)
        block = read_extent("block", config.block)
        plain = (*grid, *block, config.shared_bytes, self._handle)
        extended = None
        if attributes := _list_attributes(config):
            extended = driver.CUlaunchConfig()
            extended.gridDimX, extended.gridDimY, extended.gridDimZ = grid
            extended.blockDimX, extended.blockDimY, extended.blockDimZ = block
            extended.sharedMemBytes = config.shared_bytes
            extended.hStream = self._handle
            extended.attrs = attributes
            extended.numAttrs = len(attributes)
        core = None
        if extended is None:
            core = cuda.LaunchConfig(grid=grid, block=block, shmem_size=config.shared_bytes)
        return _EncodedConfig(plain=plain, extended=extended, core=core)

    def launch(self, function: CudaFunction, config: _EncodedConfig, arguments: Arguments) -> None:
        """See `Queue`."""
        plain = config.plain
        self._device.enter()
        if plain[6] > function.shared_bytes:
            function.allow_shared(plain[6])
        if config.extended is None:
            (status,) = driver.cuLaunchKernel(function.function, *plain, arguments.address, 0)
        else:
            (status,) = driver.cuLaunchKernelEx(
                config.extended, function.function, arguments.address, 0
            )
        if status != SUCCESS:
            raise LaunchError(f"launching failed: {explain(status)}")

    def bind(
        self, function: CudaFunction, config: _EncodedConfig, params: tuple[Param, ...]
    ) -> Callable[[Sequence[Any]], bool] | None:
        """See `Queue`: cuda-core's launch, which is compiled code, for all that it takes."""
        if config.core is None:
            return None
        enter, stream, core, kernel = self._device.enter, self._stream, config.core, function.kernel
        shared = config.plain[6]
        launch = cuda.launch
        handle = self.handle

        def find(meaning: Meaning, kind: type) -> Converter | None:
            return find_converter(meaning, kind, handle)

        convert = ValueConverter(params, find).convert

        def run(values: Sequence[Any]) -> bool:
            converted = convert(values)
            if converted is None:
                return False
            enter()
            if shared > function.shared_bytes:
                function.allow_shared(shared)
            try:
                launch(stream, core, kernel, *converted)
            except OverflowError:  # an address of more than 63 bits
                return False
            except Exception as error:
                raise LaunchError(f"launching failed: {error}") from error
            return True

        return run

    def synchronize(self) -> None:
        """See `Queue`."""
        self._device.enter()
        (status,) = driver.cuStreamSynchronize(self._handle)
        if status != SUCCESS:
            raise LaunchError(f"running failed: {explain(status)}")

    def start_timer(self) -> Callable[[], float]:
        """See `Queue`: events on both sides of what is launched."""
        self._device.enter()
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
        self._device.enter()
        with explained(f"allocating {size} bytes"):
            buffer = self._device.device.allocate(size, stream=self._stream)
        address = int(buffer.handle)
        self._buffers[address] = buffer
        return address

    def release(self, address: int) -> None:
        """See `Queue`."""
        buffer = self._buffers.pop(address, None)
        if buffer is not None:
            # After a failed kernel the driver refuses every call.
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
