"""Run CUDA kernels: devices and code, through NVIDIA's ``cuda-core``."""

from __future__ import annotations

import ctypes
import math
import operator
import threading
from collections.abc import Sequence
from typing import Any, Final
from weakref import WeakValueDictionary

from kbuild.backends.cuda.architectures import rank_images
from kbuild.backends.cuda.array_streams import find_current_stream
from kbuild.backends.cuda.driver import (
    ARRAY_INTERFACE,
    SUCCESS,
    StridedMemoryView,
    check,
    cuda,
    driver,
    explained,
)
from kbuild.backends.cuda.queue import CudaFunction, CudaQueue
from kbuild.backends.interface.devices import ArrayView, ImageBytes, ImageT
from kbuild.backends.interface.streams import Stream
from kbuild.backends.module.launch import ModuleFunction
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import KernelRecord

# Most programs have few streams, but some create new ones all the time.
_MOST_QUEUES: Final = 256
_LARGEST_ADDRESS: Final = 2**64 - 1
_LEGACY: Final = int(driver.CU_STREAM_LEGACY)


class _Current(threading.local):
    """The device that an executor last made current in this thread."""

    device: CudaDevice | None = None


_CURRENT: Final = _Current()
_DEVICES: Final[dict[int, CudaDevice]] = {}
_LOCK: Final = threading.Lock()


class CudaStream(Stream):
    """A stream that other libraries can use, too."""

    def __init__(self, queue: CudaQueue, stream: Any) -> None:
        super().__init__(queue)
        self._stream = stream  # cuda-core destroys it with this object

    def __cuda_stream__(self) -> tuple[int, int]:
        """Return the version of NVIDIA's protocol for streams, and the address."""
        return 0, self.handle


class CudaDevice:
    """One device. Its functions make it current in the calling thread."""

    def __init__(self, device: Any) -> None:
        self.device = device
        self._number = int(device.device_id)
        self.current = _CURRENT
        count = check(driver.cuDeviceGetCount(), "counting the devices")
        self.is_current = None if count == 1 else self._is_current
        # The libraries of images from which functions are loaded.
        self._libraries: WeakValueDictionary[str, Any] = WeakValueDictionary()
        self._lock = threading.Lock()
        with explained("opening the device"):
            self.make_current()
            self._default = CudaQueue(self, device.default_stream)
        self._queues = {self._default.handle: self._default}

    def _is_current(self) -> bool:
        """Ask the driver, because any library can change the device."""
        status, number = driver.cuCtxGetDevice()
        return status is SUCCESS and int(number) == self._number

    def enter(self) -> None:
        """Make the device current, if no executor has done so in this thread.

        ``current.device`` answers this without a driver call.
        """
        if self.current.device is not self:
            self.make_current()

    def make_current(self) -> None:
        """Make the device current, even if another library changed the current device."""
        self.device.set_current()
        self.current.device = self

    def rank_images(self, images: Sequence[ImageT]) -> Sequence[ImageT]:
        """See `ExecutionDevice`."""
        capability = self.device.compute_capability
        return rank_images(images, (capability.major, capability.minor))

    def load(self, images: Sequence[ImageBytes], kernel: KernelRecord) -> CudaFunction:
        """See `ExecutionDevice`: machine code takes precedence over PTX."""
        self.enter()
        capability = self.device.compute_capability
        problems = []
        for image in self.rank_images(images):
            found = self._try_image(image, kernel.device_name)
            if isinstance(found, CudaFunction):
                return found
            problems.append(f"{image.arch}: {found}")
        built = ", ".join(image.arch for image in images)
        raise LaunchError(
            f"no image of the kernel runs on {self.device.name} "
            f"(sm_{capability.major}{capability.minor}): "
            f"{'; '.join(problems) or f'it was built for {built}'}"
        )

    def adopt(self, function: ModuleFunction) -> ModuleFunction:
        """See `ExecutionDevice`: the runtime of the library loads its fat binary."""
        self.make_current()
        function.resolve()
        return function

    def _try_image(self, image: ImageBytes, name: str) -> CudaFunction | str:
        """Return the kernel, or the reason why this image does not provide it."""
        try:
            with self._lock:  # otherwise, two threads would have separate device variables
                library = self._open(image)
            return CudaFunction(library.get_kernel(name), library)
        except Exception as error:  # noqa: BLE001 - cuda-core has no common class for it
            return str(error)

    def _open(self, image: ImageBytes) -> Any:
        library = self._libraries.get(image.sha256)
        if library is None:
            make = cuda.ObjectCode.from_cubin if image.kind == "elf" else cuda.ObjectCode.from_ptx
            library = self._libraries[image.sha256] = make(image.data)
        return library

    def count_active_blocks(self, function: CudaFunction, threads: int, shared_bytes: int) -> int:
        """See `ExecutionDevice`."""
        self.enter()
        return function.count_active_blocks(threads, shared_bytes)

    def create_stream(self) -> CudaStream:
        """See `ExecutionDevice`."""
        self.make_current()
        with explained("creating a stream"):
            stream = self.device.create_stream()
        return CudaStream(self.open_queue(stream), stream)

    def open_queue(self, stream: Any) -> CudaQueue:
        """See `ExecutionDevice`: an object with ``__cuda_stream__``, or an address."""
        self.make_current()
        if stream is None:
            return self._default
        handle = read_stream(stream)
        known = self._queues.get(handle)
        if known is None:
            known = CudaQueue(self, cuda.Stream.from_handle(handle))
            if len(self._queues) >= _MOST_QUEUES:  # programs create and destroy streams
                self._queues = {self._default.handle: self._default}
            self._queues[handle] = known
        return known

    def find_stream(self, values: Sequence[object]) -> int | None:
        """See `ExecutionDevice`: DLPack's table of functions, or the array interface."""
        for value in values:
            found = find_current_stream(value, self._number)
            if found is not None:
                return found or _LEGACY
        return None

    def view_array(self, value: Any, queue: CudaQueue) -> ArrayView | None:
        """See `ExecutionDevice`."""
        if not (offers(value, ARRAY_INTERFACE) or offers(value, "__dlpack__")):
            return None
        self.make_current()
        kind = type(value).__name__
        try:
            view = StridedMemoryView.from_any_interface(value, stream_ptr=queue.handle)
        except Exception as error:
            raise ConfigurationError(f"a device cannot use this {kind}: {error}") from error
        if not view.is_device_accessible:
            raise ConfigurationError(
                f"this {kind} is in host memory; move it to the device, or pass a numpy array, "
                "which is copied"
            )
        dtype = read_dtype(view)
        return ArrayView(
            address=int(view.ptr),
            dtype=dtype,
            is_contiguous=_is_contiguous(view.shape, view.strides),
            owner=view,
            read=lambda: _read(queue, int(view.ptr), _count_bytes(kind, view.shape, dtype)),
        )


def open_device() -> CudaDevice:
    """Return the device that is current in this thread, or the first one.

    Raises LaunchError if there is no device.
    """
    with explained("opening the device"):
        device = cuda.Device()
        number = int(device.device_id)
    with _LOCK:
        known = _DEVICES.get(number)
        if known is None:
            known = _DEVICES[number] = CudaDevice(device)
    return known


def read_stream(stream: Any) -> int:
    """Return the address of a stream; raise ConfigurationError if it is not a stream."""
    try:
        if hasattr(stream, "__cuda_stream__"):
            stated = stream.__cuda_stream__()[1]
        else:
            stated = getattr(stream, "cuda_stream", stream)
        handle: int = operator.index(stated)
    except (IndexError, TypeError) as error:
        raise ConfigurationError(
            f"invalid stream {stream!r}; expected an object with __cuda_stream__, or an address"
        ) from error
    if not 0 <= handle <= _LARGEST_ADDRESS:
        raise ConfigurationError(f"invalid stream {stream!r}; an address has 64 bits")
    # Null also means the default stream, but DLPack does not accept it.
    return handle or _LEGACY


def _read(queue: CudaQueue, address: int, size: int) -> bytes:
    host = ctypes.create_string_buffer(max(size, 1))
    if size:
        queue.copy_out(ctypes.addressof(host), address, size)
    return host.raw[:size]


def offers(value: Any, attribute: str) -> bool:
    """Return whether an object has an attribute, even if reading it raises an error.

    PyTorch raises errors for tensors with gradients, and for types that its interface lacks.
    The error explains the reason when the attribute is read.
    """
    try:
        return hasattr(value, attribute)
    except Exception:  # noqa: BLE001 - libraries raise any class
        return True


def read_dtype(view: Any) -> Any:
    """Return the NumPy dtype of a view; None if NumPy does not support it, as for bfloat16."""
    try:
        return view.dtype
    except NotImplementedError:  # only ml_dtypes supports it
        return None


def _count_bytes(kind: str, shape: Sequence[int], dtype: Any) -> int:
    if dtype is None:
        raise ConfigurationError(
            f"this {kind} has a type that NumPy does not support, so its size is unknown"
        )
    size: int = math.prod(shape) * dtype.itemsize
    return size


def _is_contiguous(shape: Sequence[int], strides: Sequence[int] | None) -> bool:
    """Return whether elements are in C order without gaps. Strides count elements."""
    if strides is None:
        return True
    expected = 1
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent > 1 and stride != expected:
            return False
        expected *= extent
    return True
