"""Run CPU images: build a kernel module in memory, and register it with this package's runtime."""

from __future__ import annotations

import contextlib
import ctypes
import sys
import threading
from collections.abc import Sequence
from functools import cache
from typing import Any, Final
from weakref import WeakValueDictionary

from kbuild.backends.cpu import machines
from kbuild.backends.cpu.container import write_container
from kbuild.backends.cpu.contents import read_table
from kbuild.backends.cpu.runtime import SHARED, provide_library
from kbuild.backends.cpu.streams import (
    StreamFunctions,
    StreamQueue,
    open_functions,
    read_device,
)
from kbuild.backends.interface.devices import ArrayView, ImageBytes, ImageT
from kbuild.backends.interface.queue import Queue
from kbuild.backends.interface.streams import Stream
from kbuild.backends.module import abi
from kbuild.backends.module.device import ModuleDevice, read_address
from kbuild.backends.module.launch import ModuleFunction
from kbuild.backends.module.runtime import Device
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.formats.elf.file import Elf
from kbuild.model import Kernel, KernelRecord, Param
from kbuild.process import select_environment

# The best level that the runtime may select; see kbuild/native/cpu/images/machine.cpp.
_BEST: Final = "KBUILD_CPU_ARCH"
_POINTER: Final = ctypes.sizeof(ctypes.c_void_p)
# DLDeviceType of dlpack.h.
_DLPACK_CPU: Final = 1
_DLPACK_CUDA_HOST: Final = 3
_DEVICES: Final[list[CpuDevice]] = []
_LOCK: Final = threading.Lock()


class _Param(ctypes.Structure):
    # struct kbuild_param
    _fields_ = (("offset", ctypes.c_uint32), ("size", ctypes.c_uint32))


class CpuModule:
    """All kernels of some images, registered together until nothing refers to the module."""

    def __init__(self, images: Sequence[ImageBytes]) -> None:
        self._library: ctypes.CDLL | None = None
        content = write_container((image.arch, image.sha256, image.data) for image in images)
        kernels = read_table(Elf(images[0].data)).kernels
        memory = ctypes.create_string_buffer(content, len(content))
        container = abi.Container(data=ctypes.addressof(memory), size=len(content))
        handles = (ctypes.c_void_p * len(kernels))()
        params = [_make_params(kernel) for kernel in kernels]
        base = ctypes.addressof(handles)
        self._layouts = {k.name: _lay_out(k.params) for k in kernels}
        self._handles = {k.name: base + index * _POINTER for index, k in enumerate(kernels)}
        rows = (abi.Kernel * len(kernels))(
            *(
                abi.Kernel(
                    handle=self._handles[kernel.name],
                    device_name=kernel.name.encode(),
                    params=ctypes.addressof(layout),
                    param_count=len(kernel.params),
                )
                for kernel, layout in zip(kernels, params, strict=True)
            )
        )
        # Keep alive what the runtime points to.
        self._kept = (memory, container, handles, params, rows)
        self._module = abi.Module(
            abi=abi.MODULE_ABI,
            size=ctypes.sizeof(abi.Module),
            target=b"python",
            backend=b"cpu",
            kernels=ctypes.cast(rows, ctypes.POINTER(abi.Kernel)),
            kernel_count=len(kernels),
            containers=ctypes.pointer(container),
            container_count=1,
        )
        library = _open_library()
        status = library.kbuild_cpu_register(ctypes.byref(self._module))
        _open_runtime().check(status, "registering kernels")
        self._library = library

    def __del__(self) -> None:
        if self._library is not None:
            self._library.kbuild_cpu_unregister(ctypes.byref(self._module))

    def find(self, kernel: KernelRecord) -> int:
        """Return the handle of ``kernel``; raise LaunchError if its name or parameters differ."""
        name = kernel.device_name
        if name not in self._handles:
            raise LaunchError(f"the image does not contain kernel {name}")
        if self._layouts[name] != _lay_out(kernel.params):  # as in a forged launch record
            raise LaunchError(
                f"the parameters of kernel {name} differ between the image and its description"
            )
        return self._handles[name]


def _lay_out(params: tuple[Param, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((param.offset, param.size) for param in params)


def _make_params(kernel: Kernel) -> Any:
    rows = (_Param(offset=param.offset, size=param.size) for param in kernel.params)
    return (_Param * max(len(kernel.params), 1))(*rows)


class CpuDevice(ModuleDevice):
    """The processor, through one copy of ``libkbuild_cpu``."""

    array_devices = ((_DLPACK_CPU, -1), (_DLPACK_CUDA_HOST, -1))

    def __init__(self, entry_points: Device) -> None:
        super().__init__(entry_points)
        with contextlib.suppress(ConfigurationError):
            # The entry point waits for all streams.
            self._queue.synchronize = open_functions(entry_points).synchronize_default
        # The modules of images from which functions are loaded.
        self._modules: WeakValueDictionary[tuple[str, ...], CpuModule] = WeakValueDictionary()
        self._lock = threading.Lock()

    def rank_images(self, images: Sequence[ImageT]) -> Sequence[ImageT]:
        """See `ExecutionDevice`: the levels of the processor, as the runtime selects them."""
        levels = machines.list_levels(select_environment((_BEST,)).get(_BEST))
        usable = [image for image in images if image.arch in levels]
        return sorted(usable, key=lambda image: levels.index(image.arch))

    def load(self, images: Sequence[ImageBytes], kernel: KernelRecord) -> ModuleFunction:
        """See `ExecutionDevice`: the runtime selects the image for the machine."""
        key = tuple(image.sha256 for image in images)
        with self._lock:
            module = self._modules.get(key)
            if module is None:
                module = self._modules[key] = CpuModule(images)
        function = ModuleFunction(
            device=_open_runtime(),
            handle=module.find(kernel),
            owner=module,
            require_open=None,
        )
        function.resolve()
        return function

    def count_active_blocks(self, function: ModuleFunction, threads: int, shared_bytes: int) -> int:
        """See `ExecutionDevice`: the number of blocks on a core."""
        blocks = ctypes.c_int()
        status = _open_library().kbuild_cpu_occupancy(
            ctypes.byref(blocks),
            ctypes.c_void_p(function.handle),
            ctypes.c_int(threads),
            ctypes.c_size_t(shared_bytes),
            ctypes.c_uint(0),
        )
        function.device.check(status, "counting active blocks")
        return blocks.value

    def create_stream(self) -> Stream:
        """See `ExecutionDevice`."""
        functions = open_functions(self._device)
        queue = self._find_queue(functions, functions.create())
        stream = Stream(queue)
        queue.destroy_with(stream)
        return stream

    def open_queue(self, stream: Any) -> Queue:
        """See `ExecutionDevice`. Launches in the default stream wait for the kernel."""
        if stream is None:
            return self._queue
        functions = open_functions(self._device)
        if isinstance(stream, Stream) and functions.queues.get(stream.handle) is stream.queue:
            return stream.queue
        address = read_address(stream)
        return self._find_queue(functions, address) if address else self._queue

    def _find_queue(self, functions: StreamFunctions, handle: int) -> StreamQueue:
        found = functions.queues.get(handle)
        if found is None:
            found = functions.queues[handle] = StreamQueue(functions, handle, self.array_devices)
        return found

    def view_array(self, value: Any, queue: Any) -> ArrayView | None:  # noqa: ARG002 - the interface's signature
        """See `ExecutionDevice`: NumPy reads DLPack of host memory."""
        if not hasattr(value, "__dlpack__"):
            return None
        numpy: Any = sys.modules.get("numpy") or __import__("numpy")
        try:
            array = numpy.from_dlpack(value)
        except (BufferError, RuntimeError, TypeError, ValueError) as error:
            raise ConfigurationError(
                f"{type(value).__name__} is not an array that the processor can use: {error}"
            ) from error
        return ArrayView(
            address=array.ctypes.data,
            dtype=array.dtype,
            is_contiguous=bool(array.flags.c_contiguous),
            owner=array,
            read=array.tobytes,
        )


def open_device() -> CpuDevice:
    """Return the processor; raise ToolchainError if there is no runtime, and no way to build it."""
    with _LOCK:
        if not _DEVICES:
            _DEVICES.append(CpuDevice(_open_runtime()))
    return _DEVICES[0]


@cache
def _open_library() -> ctypes.CDLL:
    return ctypes.CDLL(str(provide_library(SHARED)))


@cache
def _open_runtime() -> Device:
    return read_device(_open_library())
