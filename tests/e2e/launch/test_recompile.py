"""Kernels that are compiled again for a launch, and at run time, with the real compilers."""

from __future__ import annotations

import ctypes
import json
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from kbuild import CompiledKernel, CompiledModule, KernelCompiler, RtcKernel, query_architecture
from kbuild.backends.cuda.architectures import rank_images
from kbuild.backends.interface.queue import ArrayInterface, LaunchCall
from kbuild.errors import ConfigurationError, KbuildError, LaunchError, ToolError
from kbuild.formats.nvidia.cubin.reader import read_cubin
from kbuild.runtime import executor
from kbuild.runtime.compiling import compiled_kernel, kernel_facts
from kbuild.runtime.compiling.rtc import RtcRequest, compile_text
from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import CompileEdge
from kbuild.stages.target import DeviceFlags
from kbuild.toolchain.devices import list_devices
from support.executed_kernels import HEAVY
from support.tools.nvidia_compiler import require_nvrtc
from support.tools.small_headers import SMALL_DEVICE_HEADERS
from support.tools.toolchains import needs_backend

pytestmark = needs_backend("cuda")

SOURCE = (
    HEAVY
    + """\
template <class T> __global__ void scale(T* values, T factor) { values[threadIdx.x] *= factor; }
template __global__ void scale<float>(float*, float);
"""
)
# The kernels of the fixture are compiled with CUDA's own headers.
SMALL = SMALL_DEVICE_HEADERS["cuda"]


@pytest.fixture(scope="module")
def compiled() -> CompiledModule:
    return KernelCompiler("cuda", "90-real").compile(SOURCE, name="demo.cu")


def compile_at_run_time(
    name: str = "heavy", text: str = SOURCE, options: tuple[str, ...] = ()
) -> CompiledKernel:
    require_nvrtc()
    request = RtcRequest(text=text, name=name, options=options, backend="cuda", arch="90-real")
    module, key = compile_text(request)
    return module[key]


def test_compiled_kernels_describe_the_compilation(compiled: CompiledModule) -> None:
    kernel = compiled["heavy"]
    resources = kernel.resources
    assert [(p.name, p.type, p.offset) for p in kernel.params] == [
        ("out", "float*", 0),
        ("in", "const float*", 8),
        ("n", "int", 16),
    ]
    assert (resources.registers or 0) > 64
    assert (resources.max_threads, resources.shared_bytes) == (128, 0)
    assert (resources.spill_store_bytes, resources.spill_load_bytes) == (0, 0)
    assert kernel.file_names == ("demo.cu", "demo.ptx", "demo.cubin")
    assert kernel.command[0].endswith("nvcc")
    assert "Compiling entry function 'heavy' for 'sm_90'" in kernel.log
    assert kernel.compiler_version.startswith("1")
    assert kernel.assembly is not None
    assert b".entry heavy" in kernel.assembly.data
    assert compiled["scale<float>"].resources.max_threads is None


def test_image_record_equals_the_record_of_a_build(
    compiled: CompiledModule, tmp_path: Path
) -> None:
    source = tmp_path / "demo.cu"
    source.write_text(SOURCE)
    compiler = KernelCompiler("cuda", "90-real")
    edge = CompileEdge(
        kbuild_version="0",
        source=source,
        display_source="demo.cu",
        arch="90-real",
        device_standard=17,
        output=tmp_path / "out" / "demo",
        toolchain=compiler.toolchain,
    )
    compile_edge(edge, DeviceFlags())

    def read(content: bytes) -> Any:
        record = json.loads(content)
        for image in record["images"]:
            image["path"] = Path(image["path"]).name
        del record["log"]  # it contains the compile time
        return record

    assert read(compiled.record) == read(edge.stamp.read_bytes())


@pytest.mark.slow
def test_compiling_does_not_import_device_libraries() -> None:
    program = (
        "import sys, kbuild\n"
        "compiler = kbuild.KernelCompiler('cuda', '90-real', sys.argv[2:])\n"
        "kernel = compiler.compile(sys.argv[1])['heavy']\n"
        "kernel.select(1024)\n"
        "print(sorted({m.partition('.')[0] for m in sys.modules} & {'cuda', 'cupy', 'numpy'}))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, HEAVY, *SMALL], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("way", ["nvcc", "rtc"])
def test_kernel_with_a_bound_of_128_threads_is_recompiled_for_1024(
    way: str, compiled: CompiledModule
) -> None:
    kernel = (
        compile_at_run_time() if way == "rtc" else pickle.loads(pickle.dumps(compiled))["heavy"]  # noqa: S301 - our own
    )
    with ThreadPoolExecutor(4) as pool:
        (made,) = {id(v): v for v in pool.map(kernel.select, [1024] * 8)}.values()

    assert made.resources.max_threads == 1024
    assert (made.resources.registers or 99) <= 64
    assert (made.resources.spill_store_bytes or 0) > 0
    assert kernel.history == (kernel.history[0], made)
    (found,) = (k for k in read_cubin(made.images[0].data).kernels if k.name == "heavy")
    assert found.max_threads == (1024, 1, 1)
    assert pickle.loads(pickle.dumps(kernel)).select(1000) == made  # noqa: S301 - our own


# 64 live doubles: blocks of 256 threads can have enough registers, and larger ones cannot.
DOUBLES = HEAVY.replace("float", "double").replace("96", "64").replace("heavy", "doubles")


@pytest.mark.parametrize("way", [pytest.param("nvcc", marks=pytest.mark.slow), "rtc"])
def test_block_gets_as_many_registers_as_it_can_have(way: str) -> None:
    text = f"{DOUBLES}{DOUBLES}".replace("__launch_bounds__(128) doubles", "unbounded", 1)
    if way == "rtc":
        require_nvrtc()
        module = RtcKernel(text, "unbounded", backend="cuda", arch="90", block_size=512)
        unbounded, bound = module.compiled, compile_at_run_time("doubles", DOUBLES)
    else:
        kernels = KernelCompiler("cuda", "90-real", SMALL, block_size=512).compile(text)
        unbounded, bound = kernels["unbounded"], kernels["doubles"]
    assert unbounded.resources.registers == 128
    assert unbounded.select(512) is unbounded.history[0]
    made = bound.select(512)
    assert made.resources.registers == 128
    # With the launch bound alone, ptxas uses 32 registers and spills 13 KB.
    assert 0 < (made.resources.spill_bytes or 0) < 3000
    assert bound.select(400) is made


def test_bounds_of_portable_code_are_changed() -> None:
    kernel = KernelCompiler("cuda", "90-virtual", SMALL).compile(SOURCE)["heavy"]
    made = kernel.select(1024)
    assert [(image.arch, image.kind) for image in made.images] == [("compute_90", "ptx")]
    assert made.resources.max_threads == 1024
    assert kernel.select(1000) is made


def test_driver_assembles_if_the_compiler_is_missing(tmp_path: Path) -> None:
    kernel = KernelCompiler("cuda", "90-real", SMALL).compile(SOURCE)["heavy"]
    recompiler: Any = kernel._variants.recompiler
    toolchain = replace(recompiler.toolchain, compiler=tmp_path / "nvcc")
    kernel._variants.recompiler = replace(recompiler, toolchain=toolchain)
    made = kernel.select(1024)
    assert [image.kind for image in made.images] == ["ptx"]
    assert b".maxntid 1024" in made.images[0].data
    assert "nvcc: not found" in made.reason
    assert kernel.select(1000) is made


@pytest.mark.parametrize("option", ["-E", "-ptx"])
def test_options_that_change_the_output_are_errors(option: str) -> None:
    with pytest.raises(
        KbuildError,
        match=r"the compiler succeeded but did not create 'kernels\.\w+'; remove options",
    ):
        KernelCompiler("cuda", "90-real", [*SMALL, option]).compile(SOURCE)
    with pytest.raises(
        ConfigurationError, match=r"unsupported standard 'c\+\+17'; expected one of 17"
    ):
        KernelCompiler("cuda", "90-real", standard="c++17")
    with pytest.raises(
        ConfigurationError, match=r"unsupported standard '11'; expected one of 17, 20, 23, 26"
    ):
        KernelCompiler("cpu", standard="11")


def test_recompilation_keeps_the_compile_options() -> None:
    options = ("-maxrregcount=100", "-lineinfo", "-DUNUSED=1", "--use_fast_math", *SMALL)
    kernel = KernelCompiler("cuda", "90-real", options).compile(SOURCE)["heavy"]
    made = kernel.select(256, 80)
    assert (made.resources.registers or 99) <= 80
    assert b".debug_line" in made.images[0].data


@pytest.mark.parametrize(
    "options", [pytest.param(("--ptxas-options=-O0",), marks=pytest.mark.slow), ("-Xptxas", "-O0")]
)
def test_recompilation_keeps_the_rtc_options(options: tuple[str, ...]) -> None:
    text = SOURCE.replace("r < 16", "r < 2")  # code without optimization is long
    made = compile_at_run_time("heavy", text, options).select(256)
    optimized = compile_at_run_time("heavy", text).select(256)
    assert len(made.images[0].data) > 1.2 * len(optimized.images[0].data)


def test_rtc_facts_equal_those_of_a_build(compiled: CompiledModule) -> None:
    kernel = compile_at_run_time()
    built = compiled["heavy"]
    assert kernel.params == built.params
    assert kernel.resources.max_threads == 128
    assert kernel.resources.spill_store_bytes == 0
    assert kernel.file_names == ("heavy.cu", "heavy.ptx", "heavy.cubin")
    assert kernel.command[0] == "nvrtc"
    # The log of code from NVRTC's cache, which needs a driver, would be empty.
    assert "--no-cache" in kernel.command
    assert compile_at_run_time("scale<double>").display == "void scale<double>(double*, double)"


def test_rtc_errors_have_the_line_numbers_of_the_text() -> None:
    with pytest.raises(ToolError, match=r'broken\.cu\(3\): error: identifier "missing"'):
        compile_at_run_time("broken", "\n\n__global__ void broken(int* p) { *p = missing; }\n")
    with pytest.raises(ConfigurationError, match="no kernel 'absent'"):
        compile_at_run_time("absent")


def test_rtc_accepts_unusual_text() -> None:
    text = "\ufeff__global__ void one(int* p) { *p = 1; }\r\n"
    assert compile_at_run_time("one", text).display == "one(int*)"
    assert RtcKernel(text, "one", (), "cuda", arch="90").compiled.display == "one(int*)"
    with pytest.raises(ConfigurationError, match="no kernel 'one'; there are no kernels"):
        compile_at_run_time("one", "")
    with pytest.raises(ConfigurationError, match="pass the architecture as `arch`"):
        RtcKernel(text, "one", ["-arch=sm_80"], "cuda", arch="90")


def test_paths_can_contain_shell_characters(tmp_path: Path) -> None:
    source = tmp_path / "it's a, b" / "one two.cu"
    source.parent.mkdir()
    (source.parent / "value.h").write_text("#define VALUE 1\n")
    source.write_text('#include "value.h"\n__global__ void one(int* p) { *p = VALUE; }\n')
    kernel = KernelCompiler("cuda", "90-real", SMALL).compile(source)["one"]
    assert kernel.file_names == ("one two.cu", "one two.ptx", "one two.cubin")


def test_rtc_finds_the_headers_of_the_toolkit() -> None:
    text = (
        "#include <cuda_fp16.h>\n#include <kbuild/kernel.h>\n"
        "KBUILD_KERNEL void two(__half* p) { *p = __float2half(2); }\n"
    )
    assert [p.type for p in compile_at_run_time("two", text).params] == ["__half*"]


@pytest.mark.skipif(bool(list_devices()), reason="there is a device")
def test_architecture_is_required_without_a_device() -> None:
    for ask in (
        lambda: query_architecture("cuda"),
        lambda: KernelCompiler("cuda"),
        lambda: RtcKernel(SOURCE, "heavy", backend="cuda"),
    ):
        with pytest.raises(ConfigurationError, match="no NVIDIA device here; name an architecture"):
            ask()
    assert query_architecture() == query_architecture("cpu")


@pytest.fixture(scope="module")
def of_three_architectures(tmp_path_factory: pytest.TempPathFactory) -> CompiledKernel:
    directory = tmp_path_factory.mktemp("fat")
    source, file = directory / "bound.cu", directory / "bound.fatbin"
    source.write_text(
        "#if __CUDA_ARCH__ >= 900\n#define BOUND 256\n#else\n#define BOUND 128\n#endif\n"
        'extern "C" __global__ void __launch_bounds__(BOUND) bound(int* out) { *out = BOUND; }\n'
    )
    nvcc = KernelCompiler("cuda", "80-real").toolchain.compiler
    codes = ("arch=compute_75,code=compute_75", "arch=compute_80,code=sm_80")
    targets = [f"-gencode={code}" for code in (*codes, "arch=compute_90,code=sm_90")]
    subprocess.run([nvcc, "-fatbin", *SMALL, *targets, source, "-o", file], check=True)
    return CompiledModule.load(file)["bound"]


def test_resources_of_an_architecture(of_three_architectures: CompiledKernel) -> None:
    kernel = of_three_architectures
    assert sorted(image.arch for image in kernel.images) == ["compute_75", "sm_80", "sm_90"]
    assert [image.kind for image in kernel.images] == ["elf", "elf", "ptx"]
    bounds = {"sm_80": 128, "80-real": 128, "90": 256, "compute_75": 128}
    for arch, bound in bounds.items():
        assert kernel.resources_for(arch).max_threads == bound
    assert kernel.resources_for("sm_90").registers is not None
    assert kernel.resources_for("75").registers is None  # the driver chooses them
    for missing in ("sm_70", "nonsense"):
        with pytest.raises(ConfigurationError, match=rf"{missing}'; expected one of sm_80, sm_90,"):
            kernel.resources_for(missing)


@pytest.mark.parametrize(
    ("capability", "bound"), [((9, 0), 256), ((8, 6), 128), ((7, 5), 128), ((7, 0), 128)]
)
def test_resources_are_those_of_the_image_for_the_device(
    of_three_architectures: CompiledKernel,
    monkeypatch: pytest.MonkeyPatch,
    capability: tuple[int, int],
    bound: int,
) -> None:
    class Device:
        def rank_images(self, images: Any) -> Any:
            return rank_images(images, capability)

    kernel = of_three_architectures
    monkeypatch.setattr(kernel_facts, "find_device", lambda *_: Device())
    assert kernel.resources.max_threads == bound
    assert (kernel.resources.registers is None) == (capability == (7, 5))


def test_resources_without_a_device_are_those_of_the_first_image(
    of_three_architectures: CompiledKernel,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise LaunchError("no device")

    kernel = of_three_architectures
    monkeypatch.setattr(kernel_facts, "find_device", fail)
    assert kernel.resources is kernel.history[0].resources
    assert kernel.images[0].kind == "elf"


class RefusingDevice:
    """A device of compute capability 9.0 whose driver refuses every launch."""

    def __init__(self) -> None:
        self._entry = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * 4)(lambda *_: 701)
        self.array_interface = ArrayInterface(attribute=None, stream=0, devices=())

    def rank_images(self, images: Any) -> Any:
        return rank_images(images, (9, 0))

    def is_current(self) -> bool:
        return True

    def open_queue(self, _: object) -> Any:
        return self

    def load(self, *_: object) -> object:
        return None

    def find_stream(self, _: object) -> None:
        return None

    def view_array(self, *_: object) -> None:
        return None

    def bind(self, *_: object) -> LaunchCall:
        def fail(status: int, _: bool) -> bool:
            raise LaunchError(f"launching failed: too many resources (error {status})")

        return LaunchCall(
            entry=ctypes.cast(self._entry, ctypes.c_void_p).value or 0,
            function=1,
            config=b"",
            stream_offset=0,
            is_driver=True,
            prepare=None,
            keep=None,
            recover=fail,
            owner=self,
        )


def test_refused_block_is_explained_with_the_fix(
    compiled: CompiledModule,
    of_three_architectures: CompiledKernel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    device = RefusingDevice()
    for module in (executor, compiled_kernel, kernel_facts):
        monkeypatch.setattr(module, "find_device", lambda *_: device)
    file = tmp_path / "heavy.cubin"
    file.write_bytes(compiled["heavy"].images[0].data)
    heavy = CompiledModule.load(file)["heavy"]
    failed = "launching failed: too many resources (error 701)"
    cases = {
        128: f"heavy: {failed}",
        512: (
            f"heavy: {failed}; a block has 512 threads, but its launch bounds allow 128; compile "
            "the kernel for such blocks, with __launch_bounds__(512) in its source or with "
            "block_size=512 of KernelCompiler or RtcKernel, or embed PTX and load it with "
            "CompiledModule.load, so that the launch compiles the kernel again"
        ),
        2048: f"heavy: {failed}; a block has 2048 threads, but its launch bounds allow 128",
    }
    for threads, message in cases.items():
        with pytest.raises(LaunchError) as raised:
            heavy[1, threads](bytes(8), bytes(8), bytes(4))
        assert str(raised.value) == message
    # With PTX, the kernel is compiled again before the launch.
    with pytest.raises(LaunchError, match=r"too many resources \(error 701\)$"):
        of_three_architectures[1, 512](bytes(8))
    (made,) = of_three_architectures.history[1:]
    assert made.reason == "a block has 512 threads, but its launch bounds allow 256"
    assert [(image.arch, image.kind) for image in made.images] == [("compute_75", "ptx")]
    assert b".maxntid 512" in made.images[0].data
    assert of_three_architectures.ptx is not None
