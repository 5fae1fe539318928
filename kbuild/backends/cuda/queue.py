"""CUDA streams: memory, launches, and events.

Launches go to the driver through the bindings below cuda-core. cuda-core's own launch function
accepts neither structures nor priorities, and numbers only as NumPy scalars, whose conversion takes
longer than the call.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
from collections.abc import Callable
from functools import cache
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
from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall
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
# CUlaunchConfig of cuda.h: seven 32-bit numbers, the stream, and the attributes with their number.
_CONFIG_SIZE: Final = 56
_STREAM_OFFSET: Final = 32
# cuLaunchKernelEx exists since CUDA 11.8.
_ENTRY_VERSION: Final = 11080
# DLDeviceType of dlpack.h.
_DLPACK_CUDA: Final = 2
_DLPACK_CUDA_HOST: Final = 3
_DLPACK_CUDA_MANAGED: Final = 13


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

    def count_active_blocks(self, threads: int, shared_bytes: int) -> int:
        """Return how many blocks a multiprocessor runs at the same time."""
        if shared_bytes > self.shared_bytes:
            self.allow_shared(shared_bytes)
        find = driver.cuOccupancyMaxActiveBlocksPerMultiprocessor
        return int(check(find(self.function, threads, shared_bytes), "counting active blocks"))


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
        return ArrayInterface(
            attribute=ARRAY_INTERFACE,
            stream=self.handle,
            devices=(
                (_DLPACK_CUDA, int(self._device.device.device_id)),
                (_DLPACK_CUDA_HOST, -1),
                (_DLPACK_CUDA_MANAGED, -1),
            ),
        )

    def bind(self, function: CudaFunction | ModuleFunction, config: LaunchConfig) -> LaunchCall:
        """See `Queue`."""
        if isinstance(function, ModuleFunction):
            # Unlike the driver, a runtime launches on whichever device is current.
            return function.bind(config, self.handle, self._device.make_current)
        self._device.enter()
        if config.shared_bytes > _LARGEST_SHARED:
            raise LaunchError(
                f"shared_bytes is {config.shared_bytes}; expected at most {_LARGEST_SHARED}"
            )
        if config.shared_bytes > function.shared_bytes:
            function.allow_shared(config.shared_bytes)
        if config.cooperative and config.cluster is None:
            count = int(self._device.device.properties.multiprocessor_count)
            active = function.count_active_blocks(config.threads, config.shared_bytes)
            require_resident(config, active, count)
        encoded = _encode_config(config, self._handle)
        return LaunchCall(
            entry=_find_entry(),
            function=int(function.function),
            config=ctypes.string_at(encoded.getPtr(), _CONFIG_SIZE),
            stream_offset=_STREAM_OFFSET,
            is_driver=True,
            prepare=None,
            keep=None,
            recover=self._recover,
            # The configuration points to its attributes; the function keeps its code loaded.
            owner=(function, encoded),
        )

    def _recover(self, error: int, is_first: bool) -> bool:
        """See `LaunchCall`: another library or thread can use another device."""
        status = driver.CUresult(error)
        if is_first and status in _OTHER_DEVICE:
            self._device.make_current()
            return True
        raise LaunchError(f"launching failed: {explain(status)}")

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


def require_resident(config: LaunchConfig, active: int, multiprocessors: int) -> None:
    """Raise LaunchError if the device cannot run all blocks of a launch at the same time.

    Args:
        config: The configuration of a cooperative launch.
        active: The number of blocks that a multiprocessor runs at the same time.
        multiprocessors: The number of multiprocessors.
    """
    blocks = math.prod(read_extent("grid", config.grid))
    most = active * multiprocessors
    if blocks > most:
        raise LaunchError(
            f"the cooperative launch has {blocks} blocks of {config.threads} threads, but the "
            f"device runs at most {most} at the same time ({active} on each of {multiprocessors} "
            "multiprocessors); use fewer blocks, see max_active_blocks"
        )


@cache
def _find_entry() -> int:
    """Return the address of the driver's launch function."""
    flags = driver.CUdriverProcAddress_flags.CU_GET_PROC_ADDRESS_DEFAULT
    found = driver.cuGetProcAddress(b"cuLaunchKernelEx", _ENTRY_VERSION, int(flags))
    return int(check(found, "finding cuLaunchKernelEx"))


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
