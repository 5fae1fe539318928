"""Streams of the processor, in which launches return before the kernel has run."""

from __future__ import annotations

import contextlib
import ctypes
import os
import threading
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall
from kbuild.backends.module import abi
from kbuild.backends.module.device import start_host_timer
from kbuild.backends.module.launch import ModuleFunction
from kbuild.backends.module.runtime import Device
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.values import replace

_ADDRESS: Final = ctypes.c_void_p
_NON_BLOCKING: Final = 1
_NO_TIMING: Final = 2
# Launches whose arguments are released together.
_BATCH: Final = 32
# By the address at which the copy of the runtime is loaded.
_OPENED: Final[dict[int, StreamFunctions]] = {}


class _SymbolInfo(ctypes.Structure):
    # Dl_info of dlfcn.h
    _fields_ = (("file", ctypes.c_char_p), ("base", _ADDRESS), ("name", _ADDRESS), ("at", _ADDRESS))


class StreamFunctions:
    """The functions of one copy of the runtime for streams and events.

    Attributes:
        device: The other functions of the runtime.
        queues: The queues of streams that are in use, by the handle of the stream.
    """

    def __init__(self, library: ctypes.CDLL) -> None:
        def find(name: str, *types: Any) -> Callable[..., int]:
            return ctypes.CFUNCTYPE(ctypes.c_int, *types)((f"kbuild_cpu_{name}", library))

        self.device = read_device(library)
        self.queues: weakref.WeakValueDictionary[int, StreamQueue] = weakref.WeakValueDictionary()
        launch: Any = library.kbuild_cpu_queue_launch
        self.launch_address = ctypes.cast(launch, _ADDRESS).value or 0
        self.synchronize = find("synchronize_stream", _ADDRESS)
        self.release = find("queue_release", _ADDRESS, _ADDRESS)
        self.destroy = find("destroy_stream", _ADDRESS)
        self.record_event = find("record_event", _ADDRESS, _ADDRESS)
        self.query_event = find("query_event", _ADDRESS)
        self.destroy_event = find("destroy_event", _ADDRESS)
        self._create = find("create_stream", ctypes.POINTER(_ADDRESS), ctypes.c_uint, ctypes.c_int)
        self._create_event = find("create_event", ctypes.POINTER(_ADDRESS), ctypes.c_uint)

    def synchronize_default(self) -> None:
        """Wait for the default stream; raise LaunchError if a launch failed."""
        self.device.check(self.synchronize(None), "running")

    def create(self) -> int:
        """Create a stream, and return its handle."""
        return self._make(self._create, _NON_BLOCKING, 0)

    def create_event(self) -> int:
        """Create an event, and return its handle."""
        return self._make(self._create_event, _NO_TIMING)

    def _make(self, create: Callable[..., int], *values: int) -> int:
        made = _ADDRESS()
        self.device.check(create(ctypes.byref(made), *values), "creating a stream")
        return made.value or 0


def open_functions(device: Device) -> StreamFunctions:
    """Return the functions for streams of the runtime that a device belongs to.

    Raises:
        ConfigurationError: The runtime does not export them.
    """
    loader = ctypes.CDLL(None)
    info = _SymbolInfo()
    loader.dladdr(_ADDRESS(device.resolve_address), ctypes.byref(info))
    found = _OPENED.get(info.base or 0)
    if found is not None:
        return found
    with contextlib.suppress(OSError):
        library = ctypes.CDLL(os.fsdecode(info.file or b""))
        try:
            return _OPENED.setdefault(info.base or 0, StreamFunctions(library))
        except AttributeError:  # a library with a static copy, which must not stay open
            loader.dlclose(_ADDRESS(library._handle))  # noqa: SLF001 - documented
    raise ConfigurationError(
        "the library contains a copy of the runtime whose streams Python cannot use; build the "
        "library with RUNTIME shared, and with this version of kbuild"
    )


def read_device(library: ctypes.CDLL) -> Device:
    """Return the entry points of an open copy of the runtime."""
    names = (name for name, *_ in abi.Runtime._fields_)
    entries = {
        name: kind((f"kbuild_cpu_{name}", library))
        for name, (_, kind) in zip(names, abi.Runtime._fields_, strict=True)
    }
    return Device(abi.Runtime(**entries), library.kbuild_cpu_take_error)


class StreamQueue:
    """One stream; see `Queue`.

    It keeps the arguments of launches until the kernels have run.
    """

    def __init__(
        self, functions: StreamFunctions, handle: int, array_devices: tuple[tuple[int, int], ...]
    ) -> None:
        device = functions.device
        self.functions = functions
        self.handle = handle
        self.array_interface = ArrayInterface(attribute=None, stream=handle, devices=array_devices)
        self.allocate = device.allocate
        self._pending = _Pending(functions, handle)
        weakref.finalize(self, self._pending.finish)

    def bind(self, function: ModuleFunction, config: LaunchConfig) -> LaunchCall:
        """See `Queue`. A launch through a debug stub waits for the kernel."""
        call = replace(function.bind(config, self.handle), keep=self._pending.add)
        if ctypes.c_void_p.from_address(function.handle).value:  # the address of a debug stub
            return call
        return replace(call, entry=self.functions.launch_address)

    def synchronize(self) -> None:
        """See `Queue`."""
        self._pending.wait()

    def release(self, address: int) -> None:
        """See `Queue`. The runtime's other function for this waits for all streams."""
        self.functions.release(address, self.handle)

    def start_timer(self) -> Callable[[], float]:
        """See `Queue`: the time on the host from one idle moment of the stream to the next."""
        return start_host_timer(self.synchronize)

    def copy_in(self, device: int, host: int, size: int) -> None:
        """See `Queue`."""
        self.synchronize()
        self.functions.device.copy_in(device, host, size)

    def copy_out(self, host: int, device: int, size: int) -> None:
        """See `Queue`."""
        self.synchronize()
        self.functions.device.copy_out(host, device, size)

    def destroy_with(self, owner: object) -> None:
        """Destroy the stream when its work is finished and ``owner`` does not exist anymore."""
        weakref.finalize(owner, self._pending.finish, destroys=True)


class _Pending:
    """The objects that the launches in a stream need until they have run.

    The runtime does not call Python: its threads could run after the interpreter has ended.
    """

    def __init__(self, functions: StreamFunctions, handle: int) -> None:
        self._functions = functions
        self._handle = handle
        self._lock = threading.Lock()
        self._last: list[object] = []
        # Earlier ones, each with an event that follows their launches.
        self._batches: deque[tuple[int, list[object]]] = deque()

    def add(self, *owners: object) -> None:
        """Keep the owners of memory until the last launch has run."""
        done = []  # released without the lock, because owners can run any code then
        with self._lock:
            self._last.append(owners)
            if len(self._last) >= _BATCH:
                self._close_batch()
                while self._batches and self._functions.query_event(self._batches[0][0]) == 0:
                    done.append(self._batches.popleft())
        self._destroy_events(done)

    def _close_batch(self) -> None:
        try:
            event = self._functions.create_event()
        except LaunchError:  # a kernel has failed, and nothing runs anymore
            return
        self._functions.record_event(event, self._handle)
        self._batches.append((event, self._last))
        self._last = []

    def wait(self) -> None:
        """Wait for the stream; raise LaunchError if a launch failed."""
        with self._lock:
            kept = (list(self._batches), self._last)
            self._batches.clear()
            self._last = []
        try:
            status = self._functions.synchronize(self._handle)
            self._functions.device.check(status, "running")
        finally:
            self._destroy_events(kept[0])

    def finish(self, *, destroys: bool = False) -> None:
        """Wait for the launches, whatever their outcome, and end the stream if requested."""
        if self._last or self._batches:
            with contextlib.suppress(LaunchError):
                self.wait()
        if destroys:
            self._functions.destroy(self._handle)

    def _destroy_events(self, batches: list[tuple[int, list[object]]]) -> None:
        for event, _ in batches:
            self._functions.destroy_event(event)
