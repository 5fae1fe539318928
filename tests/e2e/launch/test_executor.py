"""KernelCompiler, KernelExecutor, and RtcKernel on the CPU backend, with real compilers."""

from __future__ import annotations

import ctypes
import gc
import json
import os
import pickle
import subprocess
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kbuild
from kbuild import (
    CompiledModule,
    KernelCompiler,
    KernelExecutor,
    LaunchConfig,
    RtcKernel,
    resources,
)
from kbuild.cli.main import main
from kbuild.errors import (
    ConfigurationError,
    KbuildError,
    LaunchError,
    SourceError,
    ToolError,
)
from kbuild.toolchain.caches import KernelCache
from support.caches import make_cache
from support.executed_kernels import CASES, CompiledKernels, OnlyDlpack, RtcKernels
from support.tools.toolchains import needs_backend

ONE = LaunchConfig(grid=1, block=32)
SOURCE = """\
struct Pair { float factor; int offset; };
__device__ int counter;
template <class T> __global__ void scale(T* values, T factor, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= factor;
}
template __global__ void scale<float>(float*, float, int);
__global__ void apply(const float* in, float* out, Pair pair)
{
    out[threadIdx.x] = in[threadIdx.x] * pair.factor + pair.offset;
}
__global__ void count() { atomicAdd(&counter, 1); }
__global__ void read(int* out) { *out = counter; }
"""


@pytest.fixture(scope="module")
def compiled() -> CompiledModule:
    return KernelCompiler("cpu").compile(SOURCE)


@pytest.fixture(scope="module")
def kernels() -> CompiledKernels:
    return CompiledKernels("cpu")


@pytest.mark.parametrize("case", CASES)
def test_executor_agrees_with_numpy(kernels: CompiledKernels, case: str) -> None:
    CASES[case](kernels)


@pytest.mark.slow
def test_rtc_agrees_with_numpy() -> None:
    CASES["test_scale_each_type"](RtcKernels("cpu"))


def test_rtc_instantiates_a_template() -> None:
    source = SOURCE.replace("template __global__ void scale<float>(float*, float, int);", "")
    values = np.arange(4)
    RtcKernel(source, "scale<long>", backend="cpu").run(ONE, values, 3, 4)
    np.testing.assert_array_equal(values, [0, 3, 6, 9])


def test_rtc_takes_arguments_in_both_orders() -> None:
    text = "__global__ void fill(int* out) { *out = VALUE; }"
    for kernel in (
        RtcKernel(text, "fill", "cpu", "native", ["-DVALUE=3"]),
        RtcKernel(text, "fill", ["-DVALUE=3"], "cpu", arch="native"),
        RtcKernel(text, "fill", ("-DVALUE=3",), backend="cpu"),
    ):
        out = np.zeros(1, np.int32)
        kernel[1, 1](out)
        assert out[0] == 3
    wrong: Any = RtcKernel
    for values, named in (
        (("cpu", None, (), 1), {}),
        ((["-g"], "cpu"), {"options": ()}),
        ((), {"backends": "cpu"}),
    ):
        with pytest.raises(TypeError, match=r"RtcKernel\(\)"):
            wrong(text, "fill", *values, **named)


@pytest.mark.slow
def test_code_is_optimized_unless_it_is_for_debugging() -> None:
    text = """__global__ void ask(int* out) {
    #ifdef __OPTIMIZE__
        *out = 1;
    #else
        *out = 2;
    #endif
    }"""
    out = np.zeros(1, np.int32)
    for debug, expected in ((False, 1), (True, 2)):
        compiled = KernelCompiler("cpu", debug=debug).compile(text)["ask"]
        rtc = RtcKernel(text, "ask", "cpu", debug=debug)
        for kernel in (compiled, rtc.compiled):
            kernel[1, 1](out)
            assert out[0] == expected
            assert ("-O0" in kernel.command) == debug


def test_rtc_accepts_expressions_and_aliases_as_template_arguments() -> None:
    source = (
        "typedef unsigned int u; template <class T, int N>\n"
        "__global__ void fill(T* values) { values[threadIdx.x] = N; }"
    )
    values = np.zeros(4, np.uint32)
    config = LaunchConfig(grid=1, block=4)
    RtcKernel(source, "fill<u, 2 + (3 > 2)>", (), "cpu", arch="native").run(config, values)
    assert values.tolist() == [3] * 4


def test_rtc_accepts_long_symbols() -> None:
    name = "long_name" * 40
    kernel = RtcKernel(f"__global__ void {name}() {{}}", f"_Z{len(name)}{name}v", backend="cpu")
    assert kernel.compiled.display == f"{name}()"


def test_rtc_errors_have_the_line_numbers_of_the_text() -> None:
    with pytest.raises(ToolError, match=r"broken\.cu:3:\d+: error: .*'?missing"):
        RtcKernel("\n\n__global__ void broken(int* p) { *p = missing; }\n", "broken", (), "cpu")


def test_kernels_of_one_source_share_device_variables(compiled: CompiledModule) -> None:
    count, read = KernelExecutor(compiled["count"]), KernelExecutor(compiled["read"])
    seen = np.zeros(1, np.int32)
    for _ in range(3):
        count.run(ONE)
    read.run(ONE, seen)
    assert seen[0] == 96


@pytest.mark.slow
def test_device_variables_live_as_long_as_the_kernels() -> None:
    kernels = KernelCompiler("cpu").compile(f"{SOURCE}__global__ void only_here() {{}}\n")
    count = kernels["count"]
    for _ in range(3):
        KernelExecutor(count).run(ONE)
        gc.collect()
    seen = np.zeros(1, np.int32)
    KernelExecutor(kernels["read"]).run(ONE, seen)
    assert seen[0] == 96
    module = weakref.ref(KernelExecutor(count)._code.load(count.select(1)).owner)
    del kernels, count
    gc.collect()
    assert module() is None


def test_structures_are_passed_by_value(compiled: CompiledModule) -> None:
    pair = np.array((2.0, 5), dtype=[("factor", "f4"), ("offset", "i4")])[()]
    values, out = np.arange(32, dtype=np.float32), np.zeros(32, np.float32)
    KernelExecutor(compiled["apply"]).run(ONE, values, out, pair)
    np.testing.assert_array_equal(out, values * 2 + 5)


def test_arrays_of_other_libraries_are_not_copied(compiled: CompiledModule) -> None:
    values = np.ones(8, np.float32)
    executor = KernelExecutor(compiled["scale<float>"])
    executor.run(ONE, OnlyDlpack(values), 3.0, 8)
    assert (values == 3).all()
    with pytest.raises(
        ConfigurationError,
        match=r"takes a contiguous array, not .*OnlyDlpack, which is not contiguous; pass a",
    ):
        executor.run(ONE, OnlyDlpack(values[::2]), 3.0, 4)
    with pytest.raises(ConfigurationError, match=r"numpy\.float32"):
        executor.run(ONE, OnlyDlpack(values.astype(np.float64)), 3.0, 4)


def test_addresses_are_passed_unchanged(compiled: CompiledModule) -> None:
    values = np.ones(8, np.float32)
    executor = KernelExecutor(compiled["scale<float>"])
    executor.run(ONE, values.ctypes.data, 2.0, 8)
    executor.run(ONE, values.ctypes.data_as(ctypes.c_void_p), 2.0, 8)
    assert (values == 4).all()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0, 1.0), "takes 3 arguments, not 2"),
        ((0, 1.0, "x"), r"argument 2 'n' \(int\) takes an int or numpy\.int32, not str"),
        ((0, 1.0, 2**40), r"argument 2 'n' .* in the range of numpy\.int32"),
        ((-1, 1.0, 0), "argument 0 'values' .* an address of 64 bits"),
        (([1.0], 1.0, 1), "argument 0 'values' .* not list"),
        ((np.ones(2), 1.0, 2), r"argument 0 'values' .* numpy\.float32, not an array of float64"),
        ((0, None, 1), "argument 1 'factor' .* not None"),
    ],
)
def test_unsuitable_arguments_are_named(
    compiled: CompiledModule, arguments: tuple[object, ...], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        KernelExecutor(compiled["scale<float>"]).run(ONE, *arguments)


def test_profile_returns_the_time(compiled: CompiledModule) -> None:
    values = np.ones(8, np.float32)
    seconds = KernelExecutor(compiled["scale<float>"]).run(ONE, values, 2.0, 8, profile=True)
    assert seconds is not None
    assert seconds > 0
    assert (values == 2).all()


def test_errors_of_the_device_name_the_kernel(compiled: CompiledModule) -> None:
    with pytest.raises(LaunchError, match=r"scale<float>.*block is \(2048, 1, 1\)"):
        KernelExecutor(compiled["scale<float>"]).run(
            LaunchConfig(grid=1, block=2048), np.ones(1, np.float32), 1.0, 1
        )
    with pytest.raises(
        LaunchError, match=r"count\(\): .*the stream does not exist or was destroyed"
    ):
        KernelExecutor(compiled["count"]).run(LaunchConfig(grid=1, block=1, stream=3))
    runtime = ctypes.CDLL(str(resources.find_runtime("libkbuild_cpu.so.1")))
    assert runtime.kbuild_cpu_peek_error() == 0  # nothing is left for other libraries


def test_threads_share_an_executor(compiled: CompiledModule) -> None:
    executor = KernelExecutor(compiled["scale<float>"])
    arrays = [np.full(64, i, np.float32) for i in range(200)]
    config = LaunchConfig(grid=2, block=32)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda a: executor.run(config, a, 2.0, 64), arrays))
    for i, array in enumerate(arrays):
        assert (array == 2 * i).all()


def test_compiled_kernels_can_be_pickled(compiled: CompiledModule, tmp_path: Path) -> None:
    file = tmp_path / "scale.pickle"
    file.write_bytes(pickle.dumps(compiled["scale<float>"]))
    program = (
        "import pickle, sys, numpy, kbuild\n"
        "kernel = pickle.load(open(sys.argv[1], 'rb'))\n"
        "values = numpy.ones(4, numpy.float32)\n"
        "config = kbuild.LaunchConfig(grid=1, block=4)\n"
        "kbuild.KernelExecutor(kernel).run(config, values, 5.0, 4)\n"
        "print(values.sum(), 'kbuild.toolchain.find' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, file], capture_output=True, text=True, check=True
    )
    # Running must not import the code that searches for compilers.
    assert done.stdout.split() == ["20.0", "False"]


def test_executors_can_be_pickled_after_a_launch(compiled: CompiledModule) -> None:
    values = np.ones(4, np.float32)
    for launcher in (
        KernelExecutor(compiled["scale<float>"]),
        RtcKernel(SOURCE, "scale<float>", backend="cpu"),
    ):
        launcher.run(ONE, values, 2.0, 4)
        pickle.loads(pickle.dumps(launcher)).run(ONE, values, 2.0, 4)  # noqa: S301 - our own
    assert (values == 16).all()


def test_saved_files_share_a_base_name(compiled: CompiledModule, tmp_path: Path) -> None:
    saved = compiled.save(tmp_path / "dump")
    assert [path.name for path in saved] == ["kernels.cu", "kernels.so", "kernels.kbuild.json"]
    assert saved[0].read_text() == SOURCE
    assert compiled["count"].file_names == ("kernels.cu", "kernels.so")


def test_saved_modules_and_their_images_run(compiled: CompiledModule, tmp_path: Path) -> None:
    compiled.save(tmp_path)
    for path in (tmp_path, tmp_path / "kernels.so"):
        values = np.ones(4, np.float32)
        CompiledModule.load(path)["scale<float>"][1, 4](values, 3.0, 4)
        assert (values == 3).all()


def test_cache_keeps_kernels_for_other_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(make_cache(tmp_path / "home")))
    header = tmp_path / "value.h"
    header.write_text("#define VALUE 1\n")
    os.utime(header, (1, 1))
    text = '#include "value.h"\n__global__ void fill(int* out) { *out = VALUE; }\n'
    program = (
        "import numpy, sys, kbuild\n"
        "compiler = kbuild.KernelCompiler('cpu', None, [f'-I{sys.argv[1]}'], cache=True)\n"
        "out = numpy.zeros(1, numpy.int32)\n"
        "compiler.compile(sys.argv[2])['fill'][1, 1](out)\n"
        "print(out[0])\n"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, tmp_path, text], stdout=subprocess.PIPE)
        for _ in range(2)  # at the same time
    ]
    assert [process.communicate()[0] for process in started] == [b"1\n"] * 2
    cache = KernelCache()
    before = cache.diagnose()
    assert (before.entries, before.hits + before.misses) == (1, 2)

    out = np.zeros(1, np.int32)
    compiler = KernelCompiler("cpu", None, [f"-I{tmp_path}"], cache=True)
    module = compiler.compile(text)
    module["fill"][1, 1](out)
    assert (out[0], cache.diagnose().hits) == (1, before.hits + 1)
    assert list(module) == ["fill(int*)"]

    header.write_text("#define VALUE 2\n")
    RtcKernel(text, "fill", "cpu", None, [f"-I{tmp_path}"], cache=False)[1, 1](out)
    assert (out[0], cache.diagnose().misses) == (2, before.misses)
    for _ in range(2):
        RtcKernel(text, "fill", "cpu", None, [f"-I{tmp_path}"], cache=True)[1, 1](out)
    found = cache.diagnose()
    assert (out[0], found.misses, found.hits) == (2, before.misses + 1, before.hits + 2)


def test_image_records_do_not_name_temporary_directories(compiled: CompiledModule) -> None:
    assert [image["path"] for image in json.loads(compiled.record)["images"]] == ["kernels.so"]
    assert KernelCompiler("cpu").compile(SOURCE).record == compiled.record


def test_sources_that_cannot_be_compiled_are_errors() -> None:
    compiler = KernelCompiler("cpu")
    with pytest.raises(SourceError, match="no kernel"):
        compiler.compile("__device__ int nothing() { return 0; }")
    with pytest.raises(kbuild.errors.InputError, match="no such file"):
        compiler.compile("absent.cu")
    with pytest.raises(ConfigurationError, match="unknown architecture"):
        KernelCompiler("cpu", "z80")
    with pytest.raises(ConfigurationError, match="unknown BACKEND"):
        KernelCompiler("metal")
    with pytest.raises(ConfigurationError, match="a sequence of strings"):
        KernelCompiler("cpu", None, "-DX")


@pytest.mark.slow
@needs_backend("hip")
def test_hip_kernels_compile_without_a_device() -> None:
    compiler = KernelCompiler("hip", "gfx90a", block_size=192)
    kernel = compiler.compile(SOURCE)["scale<float>"]
    assert [(p.name, p.type) for p in kernel.params][:2] == [
        ("values", "float*"),
        ("factor", "float"),
    ]
    assert kernel.file_names == ("kernels.cu", "kernels.hsaco")
    assert (kernel.resources.registers or 0) > 0
    assert kernel.resources.max_threads == 192
    assert kernel.resources.wavefront_size == 64
    assert kernel.select(1024) is kernel.history[0]
    with pytest.raises(ConfigurationError, match="cannot be recompiled"):
        kernel.select(64, 1)
    with pytest.raises(ConfigurationError, match=r"kbuild\.load"):
        KernelExecutor(kernel)
    with pytest.raises(ConfigurationError, match="max_registers is not supported on HIP"):
        KernelCompiler("hip", "gfx90a", max_registers=64)
    with pytest.raises(ConfigurationError, match="block_size is 2048; expected 1 to 1024"):
        KernelCompiler("hip", "gfx90a", block_size=2048)


@pytest.mark.parametrize(
    ("source", "name", "message"),
    [
        ("x" * 5000, "kernels.cu", "File name too long"),
        ("/", "kernels.cu", "this is a directory; name a source file"),
        ("\n// \udcff\n", "kernels.cu", "line 2 of the text: surrogates"),
        (SOURCE, "", "invalid name ''; expected a file name"),
        (SOURCE, "..", "invalid name .*; expected a file name"),
        (SOURCE, "a\0.cu", "invalid name .*; expected a file name"),
        (SOURCE, "a" * 300, "invalid name .*; expected a file name"),
        (SOURCE, "a.so", "a.so: an output would have the same name"),
    ],
)
def test_invalid_sources_are_errors(source: str, name: str, message: str) -> None:
    with pytest.raises(KbuildError, match=message):
        KernelCompiler("cpu").compile(source, name=name)


@pytest.mark.parametrize("options", [None, 3, [1], [Path("-g")], ["-DA\0"]])
def test_options_must_be_strings(options: Any) -> None:
    for make in (
        lambda: KernelCompiler("cpu", None, options),
        lambda: RtcKernel(SOURCE, "count", options, "cpu"),
    ):
        with pytest.raises(ConfigurationError, match="option"):
            make()


def test_values_of_the_wrong_type_are_errors(compiled: CompiledModule) -> None:
    wrong: Any = (1, 32)
    executor = KernelExecutor(compiled["count"])
    for launch in (executor.run, executor.capture):
        with pytest.raises(ConfigurationError, match="a LaunchConfig, not tuple"):
            launch(wrong)
    wrong = compiled
    with pytest.raises(ConfigurationError, match=r"KernelExecutor\(module\[name\]\)"):
        KernelExecutor(wrong)
    wrong = SOURCE.encode()
    with pytest.raises(ConfigurationError, match="source_text must be a string, not bytes"):
        RtcKernel(wrong, "count", backend="cpu")
    wrong = None
    with pytest.raises(ConfigurationError, match="name must be a string, not NoneType"):
        RtcKernel(SOURCE, wrong, backend="cpu")
    with pytest.raises(
        ConfigurationError, match=r"invalid stream .*; expected a stream from create_"
    ):
        executor.run(LaunchConfig(grid=1, block=1, stream=np.zeros(2)))


def test_captured_launches_can_be_replayed(compiled: CompiledModule, tmp_path: Path) -> None:
    values = np.arange(8, dtype=np.float32)
    file = tmp_path / "scale.launch"
    executor = KernelExecutor(compiled["scale<float>"])
    kbuild.write_launch_record(file, executor.capture(ONE, values, 3.0, 8))
    assert values[1] == 1

    replay = kbuild.replay_launch(kbuild.read_launch_record(file))

    assert replay.outcome.code == 0
    assert replay.buffers[0].after == (values * 3).tobytes()
    assert replay.record.kernel == compiled["scale<float>"].record


def test_forged_records_are_errors(
    compiled: CompiledModule, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = KernelExecutor(compiled["scale<float>"]).capture(ONE, np.ones(8, np.float32), 3.0, 8)
    row = replace(record.kernel, params=record.kernel.params[:-1], display="\x1b[31m\n")
    file = tmp_path / "forged.launch"
    kbuild.write_launch_record(file, replace(record, kernel=row))

    assert main(["replay", str(file)]) == 1

    shown = capsys.readouterr().out
    assert "differ between the image and its description" in shown
    assert shown.startswith("\\x1b[31m\\n, backend cpu\n")
    assert "then: recorded, not launched\n" in shown


def test_captured_arguments_share_buffers(compiled: CompiledModule) -> None:
    values = np.arange(32, dtype=np.float32)
    pair = np.array((2.0, 5), dtype=[("factor", "f4"), ("offset", "i4")])[()]
    executor = KernelExecutor(compiled["apply"])

    record = executor.capture(ONE, values, values, pair)
    foreign = executor.capture(ONE, OnlyDlpack(values), values, pair)
    address = executor.capture(ONE, values.ctypes.data, values, pair)

    assert [pointer.buffer for pointer in record.pointers] == [0, 0]
    assert [buffer.content for buffer in foreign.buffers] == [values.tobytes()] * 2
    (note,) = address.notes
    assert (note.kind, note.param) == ("unknown-extent", 0)
    with pytest.raises(ConfigurationError, match="size of the memory there is unknown"):
        kbuild.replay_launch(address)


def test_launches_in_brackets_are_prepared_once(compiled: CompiledModule) -> None:
    count, read = compiled["count"], compiled["read"]
    assert count[1, 32] is count[1, 32]
    assert count[1, 32] is not count[2, 32]
    for grid in range(1, 200):
        count[grid, 1]
    assert len(count._recent[1]) <= 64
    out = np.zeros(1, np.int32)
    read[[1], [1]](out)  # lists have no hash
    before = out[0]
    count[1, 3]()
    read[1, 1](out)
    assert out[0] == before + 3
