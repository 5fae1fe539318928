"""Running CUDA kernels: devices and code, by NVIDIA's ``cuda-core``."""

from __future__ import annotations

import ctypes
import math
import threading
from collections.abc import Sequence
from typing import Any

from kbuild.backends.cuda_driver import ARRAY_INTERFACE, StridedMemoryView, cuda, explained
from kbuild.backends.cuda_queue import CudaFunction, CudaQueue
from kbuild.backends.execution import ArrayView, ImageBytes
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import KernelRecord


class CudaDevice:
    """The device that was current when it was opened."""

    def __init__(self) -> None:
        with explained("opening the device"):
            self.device = cuda.Device()
            self.device.set_current()
        self.entered = threading.local()
        self.entered.done = True
        self._libraries: dict[str, Any] = {}
        self._queues: dict[int, CudaQueue] = {}
        self._default = CudaQueue(self, self.device.default_stream)

    def enter(self) -> None:
        """Make the device current in this thread, where it has been in none.

        ``entered.done`` is there in threads where that was done.
        """
        if not hasattr(self.entered, "done"):
            self.device.set_current()
            self.entered.done = True

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
        if not (hasattr(value, ARRAY_INTERFACE) or hasattr(value, "__dlpack__")):
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
            read=lambda: _read(queue, int(view.ptr), math.prod(view.shape) * view.dtype.itemsize),
        )


def open_device() -> CudaDevice:
    """The current device; LaunchError where there is none."""
    return CudaDevice()


def _read(queue: CudaQueue, address: int, size: int) -> bytes:
    host = ctypes.create_string_buffer(max(size, 1))
    if size:
        queue.copy_out(ctypes.addressof(host), address, size)
    return host.raw[:size]


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
