"""Launches on devices that record what they are asked to do."""

from __future__ import annotations

import ctypes
from typing import Any

import pytest

from kbuild import CompiledKernel, KernelExecutor, LaunchConfig
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.model import HighWaterMarks, KernelRecord, Param, Resources
from kbuild.runtime import executor
from kbuild.runtime.compiling import compiled_kernel
from kbuild.runtime.compiling.model import Compilation, CompiledImage, Variant

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * 4)


class Devices:
    """Some devices, of which one is current."""

    def __init__(self, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
        self.every = [Device(self, number) for number in range(count)]
        self.current = self.every[0]
        self.searches = 0
        for module in (executor, compiled_kernel):
            monkeypatch.setattr(module, "find_device", self._find)

    def _find(self, *_: object) -> Device:
        self.searches += 1
        return self.current


class Device:
    """A device and its only stream."""

    def __init__(self, devices: Devices, number: int) -> None:
        self.array_interface = ArrayInterface(attribute=None, stream=number, devices=())
        self.launches: list[LaunchConfig] = []
        self.status = 0
        self.is_current = lambda: devices.current is self

    def open_queue(self, _: object) -> Device:
        return self

    def find_stream(self, _: object) -> None:
        return None

    def view_array(self, *_: object) -> None:
        return None

    def synchronize(self) -> None:
        pass

    def load(self, *_: object) -> object:
        return self

    def bind(self, _: object, config: LaunchConfig) -> LaunchCall:
        if config.shared_bytes > 100:
            raise LaunchError("too many bytes")

        def launch(*_: object) -> int:
            self.launches.append(config)
            return self.status

        def fail(status: int, _: bool) -> bool:
            raise LaunchError(f"error {status}")

        entry = ENTRY(launch)
        return LaunchCall(
            entry=ctypes.cast(entry, ctypes.c_void_p).value or 0,
            function=1,
            config=b"",
            stream_offset=0,
            is_driver=True,
            prepare=None,
            keep=None,
            recover=fail,
            owner=entry,
        )


def make_kernel(resources: Resources) -> CompiledKernel:
    param = Param(index=0, offset=0, size=4, type="int")
    image = CompiledImage(arch="sm_90", kind="elf", file_name="k.cubin", sha256="", data=b"")
    return CompiledKernel(
        record=KernelRecord(
            handle="k",
            device_name="k",
            display="k(int)",
            linkage="external",
            container=0,
            params=(param,),
        ),
        compilation=Compilation(
            source="k.cu",
            base_name="k",
            backend="cuda",
            arch="90-real",
            command=(),
            compiler="",
            compiler_version="",
            log="",
            warnings="",
        ),
        variant=Variant(
            reason="first compiled",
            marks=HighWaterMarks(),
            resources=resources,
            images=(image,),
            command=(),
            log="",
        ),
    )


def test_brackets_use_the_current_device(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = Devices(2, monkeypatch)
    first, second = devices.every
    kernel = make_kernel(Resources())
    for _ in range(3):
        kernel[1, 32](5)
    assert devices.searches == 2  # for the kernel, and for its executor
    devices.current = second
    kernel[1, 32](5)
    assert (len(first.launches), len(second.launches)) == (3, 1)
    devices.current = first
    kernel[1, 32](5)
    assert (len(first.launches), len(second.launches)) == (4, 1)


def test_only_device_is_always_current(monkeypatch: pytest.MonkeyPatch) -> None:
    devices = Devices(1, monkeypatch)
    only: Any = devices.current
    only.is_current = None
    kernel = make_kernel(Resources())
    assert kernel[1, 32] is kernel[1, 32]
    kernel[1, 32](5)
    assert kernel.last_launch is not None
    assert kernel.last_launch.config is only.launches[0]


def test_brackets_explain_failures_and_wrong_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Devices(1, monkeypatch).current
    kernel = make_kernel(Resources(registers=255))
    device.status = 701
    with pytest.raises(LaunchError, match=r"^k\(int\): error 701$"):
        kernel[1, 256](5)
    with pytest.raises(
        LaunchError,
        match=r"^k\(int\): error 701; a block has 512 threads, but its 255 registers allow 256; "
        r"compile the kernel for such blocks, with __launch_bounds__\(512\)",
    ):
        kernel[1, 512](5)
    with pytest.raises(ConfigurationError, match=r"k\(int\): argument 0 \(int\) takes an int"):
        kernel[1, 32]("x")


def test_failed_preparation_is_not_blamed_on_the_last_launch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = Devices(1, monkeypatch).current
    run = KernelExecutor(make_kernel(Resources(registers=255))).run
    device.status = 701
    with pytest.raises(LaunchError, match="255 registers"):
        run(LaunchConfig(grid=1, block=512), 5)
    with pytest.raises(LaunchError, match=r"^k\(int\): too many bytes$"):
        run(LaunchConfig(grid=1, block=1, shared_bytes=101), 5)


def test_other_block_than_the_required_one_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    Devices(1, monkeypatch)
    kernel = make_kernel(Resources(required_block=(64, 1, 1)))
    with pytest.raises(ConfigurationError, match=r"requires a block of \(64, 1, 1\) threads"):
        kernel[1, 32](5)
    kernel.resolve()
    kernel[1, 64](5)
