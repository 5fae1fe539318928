"""``kbuild.load`` and ``kbuild smoke`` with libraries of real kernels."""

from __future__ import annotations

import ctypes
import gc
import json
import pickle
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kbuild
from kbuild import CompiledKernel, CompiledModule, KernelExecutor, LaunchConfig, resources
from kbuild.errors import ConfigurationError, InputError, LaunchError
from kbuild.runtime.kernel_names import KernelNotFoundError
from kbuild.runtime.loading.loaded_library import LoadedLibrary
from support.commands import run_kbuild
from support.executed_kernels import OnlyDlpack

BuildKernelLibrary = Callable[..., Path]

KERNELS = """

namespace ns {
__global__ void scale(float *data, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
__global__ void scale(double *data, double factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
struct Pair { char tag; double value; };
__global__ void store(Pair pair, const Pair *more, double *out)
{
    out[0] = pair.value + pair.tag + (more ? more->value : 0);
}
}
template <class T> __global__ void axpy(T a, const T *x, T *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
template __global__ void axpy<float>(float, const float *, float *, int);
template __global__ void axpy<int>(int, const int *, int *, int);
extern "C" __global__ void number_threads(unsigned *out)
{
    unsigned i = ((blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x);
    out[i * blockDim.x + threadIdx.x] = i;
}
extern "C" __global__ void reverse(int *data)
{
    extern __shared__ int copy[];
    copy[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = copy[blockDim.x - 1 - threadIdx.x];
}
static __global__ void set(int *out) { *out = 1; }
extern "C" __global__ void aligned(char tag, float4 v, float *out) { out[0] = v.x + v.w + tag; }
extern "C" __global__ void wait_for_flag(volatile int *flag)
{
    while (*flag == 0) __nanosleep(100000);
}
"""

CASES = """
import numpy as np

def test_good(kernels):
    out = np.zeros(1, np.int32)
    kernels["set"].launch(grid=1, block=1, args=[out])
    assert out[0] == 1

def test_without_module():
    pass

def test_assertion(kernels):
    print("what the case printed")
    assert 1 == 2, "one is not two"

def test_crash(kernels):
    kernels["set"].launch(grid=1, block=1, args=[64])

def test_hang(kernels):
    kernels["wait_for_flag"].launch(grid=1, block=1, args=[np.zeros(1, np.int32)])

def case_wrong_arguments(kernels):
    kernels["set"].launch(grid=1, block=1)

def case_exit():
    import os
    os._exit(0)
"""


@pytest.fixture(scope="module")
def library(build_kernel_library: BuildKernelLibrary) -> Path:
    return build_kernel_library({"kernels.cu": KERNELS})


@pytest.fixture(scope="module")
def module(library: Path) -> LoadedLibrary:
    return kbuild.load(library)


def test_load_lists_every_kernel(module: LoadedLibrary) -> None:
    assert len(module) == len(list(module)) == 10
    assert "_ZN2ns5scaleEPffi" in module
    assert module.count_devices() == 1
    assert "ns::scale(float*, float, int)" in list(module)
    assert [module[name].name for name in module] == list(module.symbols)


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("_ZN2ns5scaleEPffi", "_ZN2ns5scaleEPffi"),
        ("ns::scale(float*, float, int)", "_ZN2ns5scaleEPffi"),
        ("ns::scale(double*,double,int)", "_ZN2ns5scaleEPddi"),
        ("axpy<float>", "_Z4axpyIfEvT_PKS0_PS0_i"),
        ("axpy<int>(int, int const*, int*, int)", "_Z4axpyIiEvT_PKS0_PS0_i"),
        ("void axpy<int>(int, int const*, int*, int)", "_Z4axpyIiEvT_PKS0_PS0_i"),
        ("number_threads", "number_threads"),
        ("set", "_ZL3setPi"),
    ],
)
def test_kernels_are_found_by_every_name(module: LoadedLibrary, name: str, symbol: str) -> None:
    assert module[name].symbol == symbol


def test_ambiguous_name_lists_candidates(module: LoadedLibrary) -> None:
    with pytest.raises(KernelNotFoundError, match="_ZN2ns5scaleEPddi"):
        module["ns::scale"]
    assert "ns::scale" not in module


def test_unknown_name_suggests_the_nearest(module: LoadedLibrary) -> None:
    with pytest.raises(KeyError) as caught:
        module["axpi<float>"]
    assert "did you mean void axpy<float>" in str(caught.value)


def test_name_must_be_a_string(module: LoadedLibrary) -> None:
    assert 3 not in module  # type: ignore[comparison-overlap]
    with pytest.raises(KernelNotFoundError, match="must be a string, not 3"):
        module[3]  # type: ignore[index]


def test_launch_copies_arrays_back(module: LoadedLibrary) -> None:
    data = np.arange(100, dtype=np.float32)
    module["ns::scale(float*, float, int)"].launch(grid=4, block=32, args=[data, 2, 50])
    np.testing.assert_array_equal(data[:50], np.arange(0, 100, 2))
    np.testing.assert_array_equal(data[50:], np.arange(50, 100))


def test_launch_accepts_arrays_that_are_not_contiguous(module: LoadedLibrary) -> None:
    data = np.zeros((4, 3), dtype=np.int32)
    ones = np.ones(4, dtype=np.int32)
    module["axpy<int>"].launch(grid=1, block=4, args=[7, ones, data[:, 1], 4])
    np.testing.assert_array_equal(data, [[0, 7, 0]] * 4)


def test_launch_does_not_copy_read_only_arrays_back(module: LoadedLibrary) -> None:
    data = np.ones(4, dtype=np.float32)
    data.flags.writeable = False
    module["ns::scale(float*, float, int)"].launch(grid=1, block=4, args=[data, 2.0, 4])
    assert (data == 1).all()


def test_launch_accepts_the_same_array_twice(module: LoadedLibrary) -> None:
    data = np.array([1, 2, 3], dtype=np.float32)
    module["axpy<float>"].launch(grid=1, block=3, args=[1.0, data, data, 3])
    np.testing.assert_array_equal(data, [2, 4, 6])


def test_launch_accepts_empty_arrays(module: LoadedLibrary) -> None:
    module["axpy<float>"].launch(
        grid=1, block=1, args=[1.0, np.zeros(0, np.float32), np.zeros((3, 0), np.float32), 0]
    )


def test_launch_accepts_three_dimensions(module: LoadedLibrary) -> None:
    out = np.zeros(2 * 3 * 4 * 5, dtype=np.uint32)
    module["number_threads"].launch(grid=(2, 3, 4), block=[5], args=[out])
    np.testing.assert_array_equal(out, np.repeat(np.arange(24), 5))


def test_launch_provides_dynamic_shared_memory(module: LoadedLibrary) -> None:
    data = np.arange(16, dtype=np.int32)
    module["reverse"].launch(grid=1, block=16, args=[data], shared_bytes=64)
    np.testing.assert_array_equal(data, np.arange(16)[::-1])


def test_launch_passes_structures_by_value(module: LoadedLibrary) -> None:
    class Pair(ctypes.Structure):
        _fields_ = (("tag", ctypes.c_char), ("value", ctypes.c_double))

    out = np.zeros(1)
    kernel = module["ns::store"]
    kernel.launch(grid=1, block=1, args=[Pair(b"\1", 2.5), None, out])
    assert out[0] == 3.5

    dtype = np.dtype([("tag", "i1"), ("value", "f8")], align=True)
    scalar = np.array((2, 0.25), dtype=dtype)[()]
    more = np.array([(0, 4.0)], dtype=dtype)
    kernel.launch(grid=1, block=1, args=[scalar, more, out])
    assert out[0] == 6.25

    kernel.launch(grid=1, block=1, args=[bytes(scalar), None, out])
    assert out[0] == 2.25
    with pytest.raises(ConfigurationError, match=r"argument 0 'pair' \(ns::Pair\) takes 16 bytes"):
        kernel.launch(grid=1, block=1, args=[bytes(8), None, out])


def test_launch_aligns_arguments(module: LoadedLibrary) -> None:
    out = np.zeros(1, dtype=np.float32)
    four = np.array([1, 2, 3, 4], dtype=np.float32).tobytes()
    module["aligned"].launch(grid=1, block=1, args=[3, four, out])
    assert out[0] == 8


def test_launch_passes_addresses_unchanged(module: LoadedLibrary) -> None:
    value = ctypes.c_int(0)
    kernel = module["set"]
    address = ctypes.addressof(value)
    for pointer in (ctypes.pointer(value), ctypes.c_void_p(address), address, np.uint64(address)):
        value.value = 0
        kernel.launch(grid=1, block=1, args=[pointer])
        assert value.value == 1


def test_kernels_of_a_library_are_compiled_kernels(module: LoadedLibrary) -> None:
    kernel = module["set"]
    assert isinstance(kernel, CompiledKernel)
    assert (kernel.name, kernel.display, kernel.backend) == ("_ZL3setPi", "set(int*)", "cpu")
    assert [(image.arch, image.kind) for image in kernel.images] == [("x86-64", "elf")]
    assert kernel.images[0].data.startswith(b"\x7fELF")
    assert kernel.compilation.source == "kernels.cu"
    assert kernel.compiler_version
    assert kernel.assembly is None
    assert [variant.reason for variant in kernel.history] == ["built"]


def test_kernels_of_a_library_are_called(module: LoadedLibrary) -> None:
    data = np.arange(16, dtype=np.int32)
    kernel = module["reverse"]
    kernel[1, 16, 64](data)
    np.testing.assert_array_equal(data, np.arange(16)[::-1])
    kernel[(1,), [16], 64, None](data)
    np.testing.assert_array_equal(data, np.arange(16))
    assert (kernel[1, 16, 64](data, profile=True) or 0) > 0


def test_executor_runs_kernels_of_a_library(module: LoadedLibrary) -> None:
    data = np.ones(8, dtype=np.float32)
    executor = KernelExecutor(module["ns::scale(float*, float, int)"])
    config = LaunchConfig(grid=1, block=8)
    seconds = executor.run(config, OnlyDlpack(data), 3, 8, profile=True)
    assert seconds is not None
    assert (data == 3).all()
    stream = executor.create_stream()
    in_stream = LaunchConfig(grid=1, block=8, stream=stream)
    for _ in range(3):
        executor.run(in_stream, OnlyDlpack(data), 2, 8)
    stream.synchronize()
    assert (data == 24).all()
    replay = kbuild.replay_launch(executor.capture(config, data, 2, 8))
    assert replay.outcome.message == ""
    assert replay.buffers[0].after == (data * 2).tobytes()
    executor.synchronize()


def test_kernels_of_a_library_share_its_variables(
    build_kernel_library: BuildKernelLibrary,
) -> None:
    library = build_kernel_library(
        {
            "a.cu": "__device__ int counter;\n__global__ void count() { atomicAdd(&counter, 1); }\n"
            "__global__ void read(int *out) { *out = counter; }\n"
        }
    )
    loaded = ctypes.CDLL(str(library))  # as in a process that has linked the library
    out = np.zeros(1, dtype=np.int32)
    with kbuild.load(library) as first, kbuild.load(library) as second:
        first["count"][1, 4]()
        second["count"][1, 4]()
        first["read"][1, 1](out)
        assert out[0] == 8
        copies = pickle.loads(pickle.dumps(dict(first)))  # noqa: S301 - our own
    del loaded
    copies["count()"][1, 2]()
    copies["read(int*)"][1, 1](out)
    assert out[0] == 2  # a pickled kernel has left the library


def test_device_code_of_a_library_is_loaded_without_opening_it(
    module: LoadedLibrary, library: Path
) -> None:
    loaded = CompiledModule.load(library)
    assert set(loaded) == set(module)
    assert loaded["set"].images[0].data == module["set"].images[0].data
    out = np.zeros(1, dtype=np.int32)
    loaded["set"][1, 1](out)
    assert out[0] == 1


def test_failed_launch_has_the_message_of_the_runtime(module: LoadedLibrary) -> None:
    data = np.ones(1, dtype=np.int32)
    with pytest.raises(LaunchError, match=r"^set\(int\*\): launching failed: the block.*error 1\)"):
        module["set"].launch(grid=1, block=100_000, args=[data])
    assert data[0] == 1


def test_failures_are_not_left_for_other_libraries(module: LoadedLibrary) -> None:
    runtime = ctypes.CDLL(str(resources.find_runtime("libkbuild_cpu.so.1")))
    with pytest.raises(LaunchError):
        module["set"].launch(grid=1, block=100_000, args=[np.ones(1, dtype=np.int32)])
    assert runtime.kbuild_cpu_peek_error() == 0


def test_closed_module_cannot_launch(library: Path, tmp_path: Path) -> None:
    with kbuild.load(shutil.copy(library, tmp_path / "other.so")) as module:
        kernel = module["set"]
        kernel.resolve()
    with pytest.raises(ConfigurationError, match="was closed"):
        kernel.resolve()
    with pytest.raises(ConfigurationError, match="was closed"):
        kernel.launch(grid=1, block=1, args=[None])


def test_kernel_keeps_its_library_open(library: Path, tmp_path: Path) -> None:
    copy = Path(shutil.copy(library, tmp_path / "kept.so"))
    kernel = kbuild.load(copy)["set"]
    gc.collect()
    out = np.zeros(1, dtype=np.int32)
    kernel.launch(grid=1, block=1, args=[out])
    assert out[0] == 1
    del kernel
    gc.collect()
    assert str(copy) not in Path("/proc/self/maps").read_text()


def test_file_that_changed_after_loading_is_rejected(
    library: Path, build_kernel_library: BuildKernelLibrary, tmp_path: Path
) -> None:
    path = tmp_path / "rebuilt.so"
    shutil.copy(library, path)
    first = kbuild.load(path)
    path.unlink()
    shutil.copy(build_kernel_library({"a.cu": "__global__ void other() {}"}), path)
    with pytest.raises(ConfigurationError, match="changed since"):
        kbuild.load(path)
    first.close()
    assert list(kbuild.load(path)) == ["other()"]


def test_hidden_and_stripped_libraries_can_be_loaded(
    build_kernel_library: BuildKernelLibrary,
) -> None:
    source = "__global__ void set(int *out) { *out = 3; }"
    library = build_kernel_library({"a.cu": source}, visibility="hidden", link_options=("-s",))
    symbols = subprocess.run(["nm", "-D", library], capture_output=True, text=True, check=True)
    assert "_Z3setPi" not in symbols.stdout
    out = np.zeros(1, dtype=np.int32)
    kbuild.load(library)["set"].launch(grid=1, block=1, args=[out])
    assert out[0] == 3


def test_several_targets_in_one_library_are_loaded(
    build_kernel_library: BuildKernelLibrary,
) -> None:
    def source(number: int) -> str:
        return (
            f"static __global__ void set(int *out) {{ *out = {number}; }}\n"
            "template <class T> __global__ void fill(T *out) { *out = 7; }\n"
            "template __global__ void fill<int>(int *);\n"
            f'extern "C" __global__ void only{number}() {{}}\n'
        )

    library = build_kernel_library(
        {"a.cu": source(1)}, target="first", others={"second": {"b.cu": source(2)}}
    )
    module = kbuild.load(library)
    assert sorted(module) == sorted(
        ["first:_ZL3setPi", "second:_ZL3setPi", "void fill<int>(int*)", "only1", "only2"]
    )
    out = np.zeros(1, dtype=np.int32)
    for number, target in enumerate(("first", "second"), start=1):
        module[f"{target}:_ZL3setPi"].launch(grid=1, block=1, args=[out])
        assert out[0] == number
    module["fill<int>"].launch(grid=1, block=1, args=[out])
    assert out[0] == 7
    with pytest.raises(KernelNotFoundError, match="matches 2 kernels"):
        module["set"]


def test_library_with_a_missing_dependency_cannot_be_loaded(library: Path, tmp_path: Path) -> None:
    # The same file, but the runtime library in its dependencies does not exist.
    content = library.read_bytes()
    broken = tmp_path / "broken.so"
    broken.write_bytes(content.replace(b"libkbuild_cpu.so.1\0", b"libkbuild_xxx.so.1\0"))
    with pytest.raises(InputError, match="cannot be loaded: libkbuild_xxx"):
        kbuild.load(broken)
    result = run_kbuild("smoke", broken, "--no-verify")
    assert result.returncode == 1
    assert "libkbuild_xxx.so.1: cannot open shared object file" in result.stdout


def test_smoke_loads_every_kernel(library: Path) -> None:
    result = run_kbuild("smoke", library, "--format", "json")
    assert result.returncode == 0, result.stderr
    report = json.loads(result.stdout)
    assert report["schema"] == "kbuild.smoke/1"
    assert report["path"] == str(library)
    assert report["ok"] is True
    assert report["device_count"] == 1
    assert len(report["results"]) == 10
    for row in report["results"]:
        assert (row["kind"], row["status"], row["detail"]) == ("resolve", "passed", None)


def test_smoke_continues_after_images_that_crash(
    build_kernel_library: BuildKernelLibrary,
) -> None:
    crash = "static struct Boom { Boom() { *(volatile int *)8 = 1; } } boom;\n"
    sources = {
        "a.cu": 'extern "C" __global__ void a() {}',
        "b.cu": crash + 'extern "C" __global__ void b() {}',
        "c.cu": 'extern "C" __global__ void c() {}',
        "d.cu": crash + "".join(f'extern "C" __global__ void d{i}() {{}}\n' for i in range(5)),
    }
    result = run_kbuild("smoke", build_kernel_library(sources), "--format", "json")
    assert result.returncode == 1, result.stderr
    rows = {row["name"]: row for row in json.loads(result.stdout)["results"]}
    assert rows["a"]["status"] == rows["c"]["status"] == "passed"
    assert rows["b"]["detail"].startswith("crashed with SIGSEGV")
    assert [rows[f"d{i}"]["status"] for i in range(5)] == ["failed"] * 3 + ["skipped"] * 2
    assert rows["d4"]["detail"].startswith("not tried, because 3 kernels")


@pytest.mark.slow
def test_smoke_reports_cases_that_crash_or_hang(library: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.py"
    cases.write_text(CASES)
    output = tmp_path / "report.json"
    result = run_kbuild(
        *("smoke", library, cases, "--timeout", "5", "--format", "json", "-o", output)
    )
    assert result.returncode == 1
    assert result.stdout == ""
    rows = {row["name"]: row for row in json.loads(output.read_text())["results"]}
    failed = {name: row["detail"] for name, row in rows.items() if row["status"] == "failed"}

    assert rows["test_good"]["status"] == rows["test_without_module"]["status"] == "passed"
    assert "AssertionError: one is not two" in failed.pop("test_assertion")
    assert "what the case printed" in rows["test_assertion"]["detail"]
    assert failed.pop("test_crash").startswith("crashed with SIGSEGV")
    assert "in test_crash" in rows["test_crash"]["detail"]
    assert "kbuild: kernel set(int*): SIGSEGV" in rows["test_crash"]["detail"]
    assert failed.pop("test_hang").startswith("exceeded the time limit of 5 s")
    assert "in test_hang" in rows["test_hang"]["detail"]
    assert "set(int*) takes 1 argument, not 0" in failed.pop("case_wrong_arguments")
    assert failed.pop("case_exit") == "the process exited before it was done"
    assert not failed


def test_smoke_text_names_failures(library: Path, tmp_path: Path) -> None:
    cases = tmp_path / "cases.py"
    cases.write_text("def test_it(kernels):\n    print('\\33[2J')\n    assert not len(kernels)\n")
    result = run_kbuild("smoke", library, cases)
    assert result.returncode == 1
    assert "failed   case     test_it" in result.stdout
    assert r"\x1b[2J" in result.stdout
    assert result.stdout.splitlines()[-1].startswith("FAILED: ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import no_such_module\n", "No module named 'no_such_module'"),
        ("def test_it(:\n", "SyntaxError"),
        ("raise SystemExit(0)\n", "SystemExit"),
        ("import os; os.abort()\n", "SIGABRT"),
        ("def helper(): pass\n", "must start with test_ or case_"),
        ("def test_two(a, b): pass\n", "test_two(a, b) cannot be called"),
        ("async def test_later(m): pass\n", "a case must be a plain function"),
    ],
)
def test_smoke_rejects_unusable_case_files(
    library: Path, tmp_path: Path, text: str, reason: str
) -> None:
    cases = tmp_path / "cases.py"
    cases.write_text(text)
    result = run_kbuild("smoke", library, cases)
    assert result.returncode == 2
    assert reason in result.stderr
    assert result.stdout == ""


def test_smoke_does_not_load_a_library_that_verify_rejects(library: Path, tmp_path: Path) -> None:
    # Damage an image, so that it no longer matches the sha256 in the record.
    content = bytearray(library.read_bytes())
    position = content.index(b"\x7fELF", 64)
    content[position + 8] ^= 0xFF
    damaged = tmp_path / "damaged.so"
    damaged.write_bytes(content)
    result = run_kbuild("smoke", damaged, "--format", "json")
    assert result.returncode == 1
    assert "error KB" in result.stderr
    report = json.loads(result.stdout)
    assert report["ok"] is False
    assert {row["status"] for row in report["results"]} == {"skipped"}


def test_smoke_skips_everything_without_a_device(tmp_path: Path, library: Path) -> None:
    blind = _link_without_devices(library, tmp_path)
    cases = tmp_path / "cases.py"
    cases.write_text("def test_it(kernels):\n    pass\n")
    skipped = run_kbuild("smoke", blind, cases, "--no-verify", "--format", "json")
    assert skipped.returncode == 77, skipped.stdout
    report = json.loads(skipped.stdout)
    assert (report["ok"], report["device_count"]) == (False, 0)
    assert {row["status"] for row in report["results"]} == {"skipped"}
    assert "no device for you" in report["results"][0]["detail"]

    required = run_kbuild("smoke", blind, cases, "--no-verify", "--require-device")
    assert required.returncode == 1
    assert "failed   case     test_it" in required.stdout


def _link_without_devices(library: Path, directory: Path) -> Path:
    """Link the same kernels to a runtime that finds no device."""
    runtime = directory / "libkbuild_cpu.so.1"
    source = directory / "runtime.c"
    source.write_text(
        "int kbuild_cpu_register(const void *m) { return 0; }\n"
        "void kbuild_cpu_unregister(const void *m) {}\n"
        "int kbuild_cpu_device_count(int *count) { return 100; }\n"
        "int kbuild_cpu_resolve(const void *h) { return 100; }\n"
        "int kbuild_cpu_launch(const void *h, const void *c, void *a) { return 100; }\n"
        "int kbuild_cpu_launch_from_stub(const void *h, void *a) { return 100; }\n"
        "int kbuild_cpu_read_configuration(void *c) { return 100; }\n"
        "int kbuild_cpu_fail(int code, const char *message) { return code; }\n"
        "int kbuild_cpu_allocate(void **p, unsigned long n) { return 100; }\n"
        "int kbuild_cpu_release(void *p) { return 0; }\n"
        "int kbuild_cpu_copy(void *d, const void *s, unsigned long n, int k) { return 100; }\n"
        "int kbuild_cpu_synchronize(void) { return 100; }\n"
        "int kbuild_cpu_take_error(void) { return 100; }\n"
        'const char *kbuild_cpu_error_message(int code) { return "no device for you"; }\n'
    )
    subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", runtime], check=True)
    blind = directory / "blind.so"
    stub = next((library.parent / "kernels" / "out").glob("*_stub.c"))
    include = resources.native_directory() / "include"
    path = f"-Wl,-rpath,{directory}"
    subprocess.run(
        ["gcc", "-shared", "-fPIC", "-I", include, stub, runtime, path, "-o", blind], check=True
    )
    return blind


@pytest.mark.parametrize("kind", ["archive", "executable", "object", "text", "library"])
def test_only_shared_objects_with_kernels_are_accepted(tmp_path: Path, kind: str) -> None:
    source = tmp_path / "a.c"
    source.write_text("int main(void) { return 0; }\n")
    made = tmp_path / "made"
    if kind == "text":
        made.write_text("not a library")
    else:
        options = {"executable": (), "library": ("-shared", "-fPIC")}
        flags = options.get(kind, ("-c",))
        subprocess.run(["gcc", *flags, source, "-o", made], check=True)
    if kind == "archive":
        archive = tmp_path / "made.a"
        subprocess.run(["ar", "qc", archive, made], check=True)
        made = archive
    expected = "the file has no kernels" if kind == "library" else "kbuild_add_smoke_test"
    with pytest.raises(InputError, match=expected):
        kbuild.load(made)
    result = run_kbuild("smoke", made)
    assert result.returncode == 2
    assert expected in result.stderr


def test_smoke_explains_why_it_cannot_launch_kernels_of_other_tools(
    library: Path, tmp_path: Path
) -> None:
    # Like the library of another tool, this one has images, but no kbuild note.
    foreign = tmp_path / "foreign.so"
    subprocess.run(["objcopy", "--remove-section=.note.kbuild", library, foreign], check=True)
    result = run_kbuild("smoke", foreign)
    assert result.returncode == 2
    assert "foreign.so: the file has 10 kernels, but no .note.kbuild section" in result.stderr
    assert "another tool built the file" in result.stderr
    assert "kbuild_add_kernels" in result.stderr


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        kbuild.load(tmp_path / "none.so")
    assert run_kbuild("smoke", tmp_path / "none.so").returncode == 2


def test_failed_launches_release_device_memory(
    module: LoadedLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = module["set"]
    assert kernel.registered is not None
    device = kernel.registered.device
    taken: list[int] = []
    allocate, release = device.allocate, device.release

    def count_allocation(size: int) -> int:
        taken.append(allocate(size))
        return taken[-1]

    def count_release(address: int) -> None:
        taken.remove(address)
        release(address)

    monkeypatch.setattr(device, "_opened", {})  # a new queue
    monkeypatch.setattr(device, "allocate", count_allocation)
    monkeypatch.setattr(device, "release", count_release)
    with pytest.raises(LaunchError):
        kernel.launch(grid=1, block=100_000, args=[np.zeros(1, np.int32)])
    kernel.launch(grid=1, block=1, args=[np.zeros(1, np.int32)])
    assert taken == []
