"""Running CUDA kernels: devices, memory, streams and events of NVIDIA's ``cuda-core``.

Launches go to the driver through its bindings, which ``cuda-core`` stands on: its own launch
takes no structures.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from kbuild.backends.execution import Arguments, ArrayView, ImageBytes
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import KernelRecord
from kbuild.runtime.launch_config import LaunchConfig, read_extent

try:
    import cuda.core as cuda
    from cuda.bindings import driver
    from cuda.core.utils import StridedMemoryView
except ImportError as error:
    raise ConfigurationError(
        f"running CUDA kernels from Python takes cuda-core ({error}); pip install 'kbuild[cuda]'"
    ) from error

# More than every device gives a kernel that did not ask for more.
_SHARED_BYTES: Final = 48 << 10


class CudaFunction:
    """A loaded kernel; ``shared_bytes`` is how much of it launches may ask for."""

    __slots__ = ("function", "kernel", "shared_bytes")

    def __init__(self, kernel: Any) -> None:
        self.kernel = kernel  # keeps its library loaded
        self.function = _check(driver.cuKernelGetFunction(driver.CUkernel(int(kernel.handle))))
        self.shared_bytes = _SHARED_BYTES

    def allow_shared(self, size: int) -> None:
        """Have the driver take launches with so much dynamic shared memory."""
        attribute = driver.CUfunction_attribute.CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
        _check(driver.cuFuncSetAttribute(self.function, attribute, size))
        self.shared_bytes = size


class CudaQueue:
    """A stream."""

    def __init__(self, device: CudaDevice, stream: Any) -> None:
        self._device = device
        self._stream = stream
        self._handle = driver.CUstream(int(stream.handle))
        self._buffers: dict[int, Any] = {}

    @property
    def handle(self) -> int:
        """The stream's address."""
        return int(self._handle)

    def encode_config(self, config: LaunchConfig) -> Any:
        """See `Queue`: what the plainest launch takes, or a configuration with attributes."""
        grid = read_extent("grid", config.grid)
        block = read_extent("block", config.block)
        attributes = _list_attributes(config)
        if not attributes:
            return (*grid, *block, config.shared_bytes, self._handle), None
        extended = driver.CUlaunchConfig()
        extended.gridDimX, extended.gridDimY, extended.gridDimZ = grid
        extended.blockDimX, extended.blockDimY, extended.blockDimZ = block
        extended.sharedMemBytes = config.shared_bytes
        extended.hStream = self._handle
        extended.attrs = attributes
        extended.numAttrs = len(attributes)
        return (*grid, *block, config.shared_bytes, self._handle), extended

    def launch(self, function: CudaFunction, config: Any, arguments: Arguments) -> None:
        """See `Queue`."""
        plain, extended = config
        self._device.enter()
        if plain[6] > function.shared_bytes:
            function.allow_shared(plain[6])
        if extended is None:
            (status,) = driver.cuLaunchKernel(function.function, *plain, arguments.address, 0)
        else:
            (status,) = driver.cuLaunchKernelEx(extended, function.function, arguments.address, 0)
        if status != _SUCCESS:
            raise LaunchError(f"launching failed: {_explain(status)}")

    def synchronize(self) -> None:
        """See `Queue`."""
        self._device.enter()
        (status,) = driver.cuStreamSynchronize(self._handle)
        if status != _SUCCESS:
            raise LaunchError(f"running failed: {_explain(status)}")

    def start_timer(self) -> Callable[[], float]:
        """See `Queue`: events on both sides of what is launched."""
        self._device.enter()
        options = cuda.EventOptions(timing_enabled=True)
        with _explained("recording an event"):
            start = self._stream.record(options=options)

        def stop() -> float:
            with _explained("running"):
                end = self._stream.record(options=options)
                end.sync()
                return float(end - start) / 1e3

        return stop

    def allocate(self, size: int) -> int:
        """See `Queue`."""
        if size == 0:
            return 0
        self._device.enter()
        with _explained(f"allocating {size} bytes"):
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
        _check(driver.cuMemcpyHtoDAsync(device, host, size, self._handle), "copying to the device")

    def copy_out(self, host: int, device: int, size: int) -> None:
        """See `Queue`."""
        self._device.enter()
        _check(
            driver.cuMemcpyDtoHAsync(host, device, size, self._handle), "copying from the device"
        )
        self.synchronize()


class CudaDevice:
    """The device that was current when it was opened."""

    array_interface: Final = "__cuda_array_interface__"

    def __init__(self) -> None:
        with _explained("opening the device"):
            self.device = cuda.Device()
            self.device.set_current()
        self._entered = threading.local()
        self._entered.done = True
        self._libraries: dict[str, Any] = {}
        self._queues: dict[int, CudaQueue] = {}
        self._default = CudaQueue(self, self.device.default_stream)

    def enter(self) -> None:
        """Make the device current in this thread, where it has been in none."""
        if not getattr(self._entered, "done", False):
            self.device.set_current()
            self._entered.done = True

    def load(self, images: Sequence[ImageBytes], kernel: KernelRecord) -> CudaFunction:
        """See `ExecutionDevice`: machine code goes before PTX."""
        self.enter()
        problems = []
        for image in sorted(images, key=lambda image: image.kind != "elf"):
            found = self._try_image(image, kernel.device_name)
            if isinstance(found, CudaFunction):
                return found
            problems.append(f"{image.arch}: {found}")
        capability = self.device.compute_capability
        raise LaunchError(
            f"nothing of it runs on {self.device.name} (sm_{capability.major}{capability.minor}): "
            f"{'; '.join(problems)}"
        )

    def _try_image(self, image: ImageBytes, name: str) -> CudaFunction | str:
        """The kernel, or why it cannot be had from this image."""
        try:
            return CudaFunction(self._open(image).get_kernel(name))
        except Exception as error:  # noqa: BLE001 - cuda-core has no common class for it
            return str(error)

    def _open(self, image: ImageBytes) -> Any:
        library = self._libraries.get(image.sha256)
        if library is None:
            make = cuda.ObjectCode.from_cubin if image.kind == "elf" else cuda.ObjectCode.from_ptx
            library = self._libraries[image.sha256] = make(image.data)
        return library

    def open_queue(self, stream: Any) -> CudaQueue:
        """See `ExecutionDevice`: ``__cuda_stream__``, or an address."""
        if stream is None:
            return self._default
        self.enter()
        try:
            if hasattr(stream, "__cuda_stream__"):
                handle = int(stream.__cuda_stream__()[1])
            else:
                handle = int(getattr(stream, "cuda_stream", stream))
        except (TypeError, ValueError) as error:
            raise ConfigurationError(
                f"stream is {stream!r}; it takes what has __cuda_stream__, or an address"
            ) from error
        known = self._queues.get(handle)
        if known is None:
            known = self._queues[handle] = CudaQueue(self, cuda.Stream.from_handle(handle))
        return known

    def view_array(self, value: Any, queue: CudaQueue) -> ArrayView | None:
        """See `ExecutionDevice`."""
        if not (hasattr(value, self.array_interface) or hasattr(value, "__dlpack__")):
            return None
        self.enter()
        kind = type(value).__name__
        try:
            view = StridedMemoryView.from_any_interface(value, stream_ptr=queue.handle)
        except Exception as error:
            raise ConfigurationError(f"this {kind} is no array for a device: {error}") from error
        if not view.is_device_accessible:
            raise ConfigurationError(
                f"this {kind} lies in host memory; move it to the device, or pass a numpy array, "
                "which is copied"
            )
        return ArrayView(
            address=int(view.ptr),
            dtype=view.dtype,
            is_contiguous=_is_contiguous(view.shape, view.strides),
            owner=view,
        )


def open_device() -> CudaDevice:
    """The current device; LaunchError where there is none."""
    return CudaDevice()


def _is_contiguous(shape: Sequence[int], strides: Sequence[int] | None) -> bool:
    """Whether elements lie in C order without gaps; strides count elements."""
    if strides is None:
        return True
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True


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


_SUCCESS: Final = driver.CUresult.CUDA_SUCCESS


def _check(result: tuple[Any, ...], doing: str = "asking the driver") -> Any:
    status, *values = result
    if status != _SUCCESS:
        raise LaunchError(f"{doing} failed: {_explain(status)}")
    return values[0] if values else None


def _explain(status: Any) -> str:
    _, name = driver.cuGetErrorName(status)
    _, text = driver.cuGetErrorString(status)
    words = [part.decode() for part in (name, text) if part]
    return f"{': '.join(words) or 'unknown'} (error {int(status)})"


@contextlib.contextmanager
def _explained(doing: str) -> Iterator[None]:
    """Errors of cuda-core as LaunchError."""
    try:
        yield
    except LaunchError:
        raise
    except Exception as error:
        raise LaunchError(f"{doing} failed: {error}") from error
