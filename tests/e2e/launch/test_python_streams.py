"""Streams of the CPU backend from Python: launches that return before the kernel has run."""

from __future__ import annotations

import ctypes
import gc
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kbuild import CompiledModule, KernelCompiler, KernelExecutor, LaunchConfig
from kbuild.backends.cpu.streams import open_functions
from kbuild.backends.interface.streams import Stream
from kbuild.errors import ConfigurationError, LaunchError
from kbuild.runtime.arguments import launchers

SOURCE = """\
extern "C" __global__ void wait_for(volatile int* flag) { while (*flag == 0) {} }
extern "C" __global__ void append(int* list, int value) { list[++list[0]] = value; }
extern "C" __global__ void set(int* flag, int value) { *flag = value; }
extern "C" __global__ void scale(float* values, float factor) { values[threadIdx.x] *= factor; }
extern "C" __global__ void fail() { __trap(); }
"""
FAILING = """\
import sys
import kbuild
from kbuild.errors import LaunchError

kernels = kbuild.KernelCompiler("cpu").compile(sys.argv[1])
fail = kernels["fail"]
stream = fail.create_stream()
fail[1, 1, 0, stream]()
for call in (stream.synchronize, lambda: kernels["set"][1, 1, 0, stream](0, 1)):
    try:
        call()
    except LaunchError as error:
        print(error)
"""
ENDING = """\
import sys
import numpy as np
import kbuild

class Array:
    def __init__(self, array):
        self.array = array
    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()

kernel = kbuild.KernelCompiler("cpu").compile(
    "__global__ void work(double* values, int n)"
    "{ for (int k = 0; k < 300; k++) for (int i = 0; i < n; i++) values[i] = values[i] * k + 1; }"
)["work"]
stream = kernel.create_stream()
for _ in range(5):
    kernel[1, 1, 0, stream](Array(np.zeros(200_000)), 200_000)
"""


@pytest.fixture(scope="module")
def kernels() -> CompiledModule:
    return KernelCompiler("cpu").compile(SOURCE)


class Gate:
    """A flag in host memory for which kernels wait."""

    def __init__(self, kernels: CompiledModule) -> None:
        self._flag = np.zeros(1, np.int32)
        self._wait = kernels["wait_for"]

    def close(self, stream: Stream) -> None:
        # kernel[1, 1, 0, stream] would keep the stream.
        config = LaunchConfig(grid=1, block=1, stream=stream)
        KernelExecutor(self._wait).run(config, self._flag.ctypes.data)

    def open(self) -> None:
        self._flag[0] = 1


class Shared:
    """An array of another library, which kernels use without a copy."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.fixture
def gate(kernels: CompiledModule) -> Iterator[Gate]:
    gate = Gate(kernels)
    yield gate
    gate.open()


def test_launches_in_a_stream_return_at_once_and_run_in_order(
    kernels: CompiledModule, gate: Gate
) -> None:
    append = kernels["append"]
    stream = append.create_stream()
    listed = np.zeros(100, np.int32)
    gate.close(stream)
    for value in range(50):
        append[1, 1, 0, stream](Shared(listed), value)
    assert listed[0] == 0
    gate.open()
    stream.synchronize()
    assert listed[:51].tolist() == [50, *range(50)]


def test_streams_run_at_the_same_time(kernels: CompiledModule, gate: Gate) -> None:
    first, second = kernels["set"].create_stream(), kernels["set"].create_stream()
    gate.close(first)
    kernels["set"][1, 1, 0, second](gate._flag.ctypes.data, 1)  # opens the gate
    first.synchronize()
    second.synchronize()


def test_default_stream_does_not_wait_for_other_streams(
    kernels: CompiledModule, gate: Gate
) -> None:
    stream = kernels["scale"].create_stream()
    gate.close(stream)
    values = np.ones(4, np.float32)
    kernels["scale"][1, 4](Shared(values), 2.0)
    kernels["scale"][1, 4, 0, 0](Shared(values), 2.0)
    assert (values == 4).all()
    other = kernels["scale"].create_stream()
    kernels["scale"][1, 4, 0, other](values, 2.0)  # a copy, which does not wait either
    assert (values == 8).all()
    gate.open()
    stream.synchronize()


@pytest.mark.parametrize("as_address", [False, True])
def test_executors_take_streams_and_their_addresses(
    kernels: CompiledModule, gate: Gate, *, as_address: bool
) -> None:
    executor = KernelExecutor(kernels["scale"])
    stream = executor.create_stream()
    value: Any = stream.handle if as_address else stream
    config = LaunchConfig(grid=1, block=4, stream=value)
    values = np.ones(4, np.float32)
    gate.close(stream)
    executor.run(config, Shared(values), 3.0)
    assert (values == 1).all()
    gate.open()
    executor.synchronize(value)
    assert (values == 3).all()
    assert repr(stream) == f"<stream {stream.handle:#x}>"


def test_arrays_that_are_copied_and_measured_launches_wait(
    kernels: CompiledModule,
) -> None:
    executor = KernelExecutor(kernels["scale"])
    config = LaunchConfig(grid=1, block=4, stream=executor.create_stream())
    values = np.ones(4, np.float32)
    executor.run(config, Shared(values), 2.0)
    executor.run(config, values, 5.0)  # copied after the launch before it
    assert (values == 10).all()
    seconds = executor.run(config, Shared(values), 2.0, profile=True)
    assert seconds is not None
    assert seconds > 0
    assert (values == 20).all()


@pytest.mark.parametrize("launcher", ["best", "python"])
@pytest.mark.parametrize("ending", ["synchronize", "later launches", "end of the stream"])
def test_arrays_live_until_the_launch_has_run(
    kernels: CompiledModule,
    gate: Gate,
    ending: str,
    launcher: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if launcher == "python":
        monkeypatch.setattr(launchers, "_launcher", None)
    scale = KernelExecutor(kernels["scale"])
    stream = scale.create_stream()
    config = LaunchConfig(grid=1, block=1, stream=stream)
    gate.close(stream)
    alive = []
    for _ in range(100):
        array = np.ones(1, np.float32)
        alive.append(weakref.ref(array))
        scale.run(config, Shared(array), 2.0)
    del array
    gc.collect()
    assert all(each() is not None for each in alive)
    gate.open()
    if ending == "synchronize":
        stream.synchronize()
    elif ending == "later launches":
        stop = time.monotonic() + 30
        kept = np.ones(1, np.float32)
        while time.monotonic() < stop and any(each() is not None for each in alive):
            scale.run(config, kept.ctypes.data, 1.0)
        stream.synchronize()
    else:
        del stream, config, scale
    gc.collect()
    assert all(each() is None for each in alive)


def test_stream_that_was_dropped_is_destroyed_after_its_work(
    kernels: CompiledModule, gate: Gate
) -> None:
    set_flag = KernelExecutor(kernels["set"])
    stream = set_flag.create_stream()
    out = np.zeros(1, np.int32)
    set_flag.run(LaunchConfig(grid=1, block=1, stream=stream), Shared(out), 7)
    handle = stream.handle
    gate.open()
    del stream, set_flag
    gc.collect()
    assert out[0] == 7
    with pytest.raises(LaunchError, match="the stream does not exist or was destroyed"):
        kernels["set"][1, 1, 0, handle](0, 0)


def run_program(text: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", text, *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_failed_kernel_is_reported_by_synchronize() -> None:
    first, second = run_program(FAILING, SOURCE).splitlines()
    assert first.startswith("running failed: kernel fail failed: ")
    assert second.startswith("set: launching failed: kernel fail failed: ")


@pytest.mark.slow
def test_programs_that_do_not_synchronize_end() -> None:
    assert run_program(ENDING) == ""


def test_wrong_launches_fail_at_once(kernels: CompiledModule) -> None:
    stream = kernels["set"].create_stream()
    launches: list[Callable[[], object]] = [
        lambda: kernels["set"][1, 2048, 0, stream](0, 1),
        lambda: kernels["set"][1, 1, 1 << 30, stream](0, 1),
    ]
    for launch in launches:
        with pytest.raises(LaunchError, match=r"set: launching failed"):
            launch()
    stream.synchronize()


def test_library_without_functions_for_streams_can_be_closed(tmp_path: Path) -> None:
    source, library = tmp_path / "own.c", tmp_path / "own.so"
    source.write_text("int resolve(const void *handle) { return handle == 0; }\n")
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", library], check=True)
    opened = ctypes.CDLL(str(library))

    class StaticRuntime:
        resolve_address = ctypes.cast(opened.resolve, ctypes.c_void_p).value

    device: Any = StaticRuntime()
    with pytest.raises(ConfigurationError, match="RUNTIME shared"):
        open_functions(device)
    ctypes.CDLL(None).dlclose(ctypes.c_void_p(opened._handle))
    assert str(library) not in Path("/proc/self/maps").read_text()
