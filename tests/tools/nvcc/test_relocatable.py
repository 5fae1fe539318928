"""Relocatable device code of ``kbuild nvcc``: objects, archives, and device links."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from kbuild.formats.elf.file import Elf
from kbuild.nvcc.linking.undefined import read_launched
from kbuild.stages.mixed.launched import render_launched
from support.commands import build, configure, ctest, run, run_kbuild, succeed
from support.tools.toolchains import find_compiler, needs_backend

LIBRARY: Final = """
__device__ int counter = 1;
__constant__ int factor = 3;
__managed__ int total;
__device__ int scale(int x) { return factor * x; }
__global__ void library_kernel(int *p) { *p = scale(*p); }
template <class T> __global__ void add_one(T *p) { *p += 1; }
static __device__ int own;
static __global__ void set(int x) { own = x; }
void call_library(int *p) {
    library_kernel<<<1, 1>>>(p);
    add_one<<<1, 1>>>(p);
    set<<<1, 1>>>(1);
}
"""
PROGRAM: Final = """
#include <cstdio>
extern __device__ int counter;
extern __constant__ int factor;
extern __managed__ int total;
__device__ int scale(int);
void call_library(int *);
__global__ void program_kernel(int *p) { counter = scale(*p); total += factor; }
template <class T> __global__ void add_one(T *p) { *p += 1; }
static __device__ int own;
static __global__ void set(int x) { own = x; }
#ifdef LAUNCH
extern __global__ void library_kernel(int *);
#endif
int main() {
    int *p, result;
    cudaMallocManaged(&p, sizeof *p);
    *p = 7;
    program_kernel<<<1, 1>>>(p);
    add_one<<<1, 1>>>(p);
    set<<<1, 1>>>(2);
#ifdef LAUNCH
    library_kernel<<<1, 1>>>(p);
#endif
    call_library(p);
    cudaDeviceSynchronize();
    cudaMemcpyFromSymbol(&result, counter, sizeof result);
    std::printf("%d %d %d\\n", result, *p, total);
}
"""
UNUSED: Final = """
__device__ int unused(int x) { return x; }
__global__ void unused_kernel(int *p) { *p = unused(*p); }
"""
TWICE: Final = """
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
static __device__ TYPE value;
static __device__ __noinline__ TYPE halve(TYPE x) { return x / 2; }
static __global__ void set(TYPE x) { value = halve(x); }
TYPE JOIN(pass_, TYPE)(TYPE x) {
    TYPE result;
    set<<<1, 1>>>(x);
    cudaMemcpyFromSymbol(&result, value, sizeof result);
    return result;
}
"""
PRINT: Final = """
#include <cstdio>
float pass_float(float);
double pass_double(double);
int main() { std::printf("%g %g\\n", pass_float(3), pass_double(4.5)); }
"""
SOURCES: Final = {
    "library.cu": LIBRARY,
    "program.cu": PROGRAM,
    "unused.cu": UNUSED,
    "twice.cu": TWICE,
    "print.cpp": PRINT,
}
LAUNCHED: Final = "21 73 3\n"
CMAKE: Final = """
cmake_minimum_required(VERSION 3.22)
project(separable LANGUAGES CXX CUDA)
set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)
add_library(plain STATIC library.cu unused.cu)
add_library(resolved STATIC resolved.cu resolved_device.cu)
set_target_properties(resolved PROPERTIES CUDA_RESOLVE_DEVICE_SYMBOLS ON)
add_library(shared SHARED shared.cu shared_device.cu)
add_executable(program program.cu)
target_link_libraries(program PRIVATE plain)
add_executable(host host.cpp)
target_link_libraries(host PRIVATE resolved shared)
enable_testing()
add_test(NAME program COMMAND program)
set_tests_properties(program PROPERTIES PASS_REGULAR_EXPRESSION "21 73 3")
add_test(NAME host COMMAND host)
"""


def write_sources(directory: Path) -> None:
    for name, text in SOURCES.items():
        (directory / name).write_text(text)


def run_nvcc(*words: object, cwd: Path, backend: str = "cpu") -> subprocess.CompletedProcess[str]:
    """Run the driver in a directory. For the CPU, it compiles device code once."""
    once = ("-arch=native",) if backend == "cpu" else ()
    return run_kbuild("nvcc", f"--backend={backend}", *once, *words, cwd=cwd)


def link_with_host_compiler(
    objects: Sequence[str], output: str, cwd: Path
) -> subprocess.CompletedProcess[str]:
    toolkit = Path(succeed(run_kbuild("nvcc", "--backend=cpu", "--toolkit")).strip())
    return run("g++", *objects, f"-L{toolkit / 'lib64'}", "-lcudart", "-o", output, cwd=cwd)


def verify(*paths: Path) -> list[tuple[str, str]]:
    """Return the rules and messages of the findings."""
    report = json.loads(run_kbuild("verify", "--format=json", *paths).stdout)
    assert report["rules_errored"] == []
    return [(found["rule"], found["message"]) for found in report["findings"]]


def list_defined(path: Path) -> set[str]:
    symbols = Elf(path.read_bytes()).symbols
    return {symbol.name for symbol in symbols if symbol.place and symbol.binding != "local"}


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with relocatable objects for the CPU."""
    directory = tmp_path_factory.mktemp("relocatable")
    write_sources(directory)
    for name in ("library", "unused"):
        succeed(run_nvcc("-dc", f"{name}.cu", cwd=directory))
    succeed(run_nvcc("-rdc=true", "-c", "-DLAUNCH", "program.cu", cwd=directory))
    return directory


def test_driver_links_device_code(objects: Path) -> None:
    succeed(run_nvcc("program.o", "library.o", "-o", "linked", cwd=objects))

    assert succeed(run(objects / "linked")) == LAUNCHED
    assert verify(objects / "linked") == []


def test_launched_kernel_that_no_file_defines_is_named(objects: Path) -> None:
    launched = read_launched((objects / "library.o").read_bytes())
    assert launched == {"library_kernel", "add_one", "set"}
    text = "namespace ns { void library_kernel(int); }\nint main() { ns::library_kernel(1); }\n"
    (objects / "caller.cpp").write_text(text + render_launched(sorted(launched)))

    failed = run_nvcc("caller.cpp", "-o", "caller", cwd=objects)

    assert failed.returncode == 4
    assert "undefined reference to `ns::library_kernel(int)'" in failed.stderr
    assert "kernel 'library_kernel' is launched, but no linked file defines it; " in failed.stderr


def test_other_linkers_need_the_device_link(objects: Path) -> None:
    files = ("library.o", "program.o")
    options = ("-Xcompiler=-fPIC", "-shared")  # as CMake calls it
    succeed(run_nvcc("-dlink", *options, *files, "-o", "dlink.o", cwd=objects))

    succeed(link_with_host_compiler((*files, "dlink.o"), "by_gcc", objects))
    missing = link_with_host_compiler(files, "missing", objects)

    assert succeed(run(objects / "by_gcc")) == LAUNCHED
    assert missing.returncode != 0
    assert "_library_cu_needs_device_link'" in missing.stderr
    assert verify(*(objects / name for name in (*files, "dlink.o", "by_gcc"))) == []


@pytest.mark.parametrize(
    "library",
    [
        ("libboth.a",),
        pytest.param(("-L.", "-lboth"), marks=pytest.mark.slow),
        pytest.param(("-Xlinker=-L.", "-lboth"), marks=pytest.mark.slow),
    ],
    ids=["path", "option", "linker"],
)
def test_all_members_of_archives_are_linked(objects: Path, library: tuple[str, ...]) -> None:
    succeed(run_nvcc("-lib", "library.o", "unused.o", "-o", "libboth.a", cwd=objects))

    succeed(run_nvcc("-dlink", "program.o", *library, "-o", "both.o", cwd=objects))
    succeed(run_nvcc("program.o", *library, "-o", "from_archive", cwd=objects))

    assert succeed(run(objects / "from_archive")) == LAUNCHED
    assert verify(objects / "from_archive", objects / "libboth.a") == []
    linked = json.loads(succeed(run_kbuild("inspect", "--format=json", objects / "both.o")))
    kernels = {k["display"] for image in linked["artifacts"][0]["images"] for k in image["kernels"]}
    assert "unused_kernel(int*)" in kernels
    functions = [name for name in list_defined(objects / "both.o") if "Register" in name]
    assert len(functions) == 3


@pytest.mark.parametrize("kind", ["fatbin", pytest.param("cubin", marks=pytest.mark.slow)])
def test_device_links_write_images_alone(objects: Path, kind: str) -> None:
    output = objects / f"linked.{kind}"

    succeed(run_nvcc("-dlink", f"-{kind}", "library.o", "program.cu", "-o", output, cwd=objects))

    content = output.read_bytes()
    assert content.startswith(b"\x7fELF") == (kind == "cubin")
    assert b"library_kernel" in content
    assert b"program_kernel" in content


@pytest.mark.slow
def test_objects_are_linked_once(objects: Path) -> None:
    """A device link in an archive defines its objects for good, as with nvcc."""
    succeed(run_nvcc("-dlink", "unused.o", "-o", "unused_link.o", cwd=objects))
    archive = ("unused.o", "unused_link.o", "-o", "libresolved.a")
    succeed(run_nvcc("-lib", *archive, cwd=objects))
    words = ("program.o", "library.o", "libresolved.a")

    succeed(run_nvcc("-dlink", *words, "-o", "rest.o", cwd=objects))

    assert not any("unused" in name for name in list_defined(objects / "rest.o"))


@pytest.mark.slow
def test_device_link_of_nothing_is_an_empty_object(objects: Path) -> None:
    succeed(run_nvcc("-c", "unused.cu", "-o", "whole.o", cwd=objects))

    succeed(run_nvcc("-dlink", "whole.o", "-o", "nothing.o", cwd=objects))

    assert list_defined(objects / "nothing.o") == set()


def test_undefined_device_function_is_an_error(objects: Path) -> None:
    failed = run_nvcc("program.o", "unused.o", "-o", "incomplete", cwd=objects)

    assert failed.returncode == 4
    assert "undefined reference" in failed.stderr
    assert "compiled with -dc" in failed.stderr
    assert not (objects / "incomplete").exists()


@pytest.mark.slow  # tests/tools/nvcc/test_objects.py links such objects, too
@pytest.mark.parametrize(
    "backend", ["cpu", pytest.param("cuda", marks=[pytest.mark.slow, needs_backend("cuda")])]
)
def test_one_source_compiled_twice_links(tmp_path: Path, backend: str) -> None:
    write_sources(tmp_path)
    for name in ("float", "double"):
        words = ("-dc", "twice.cu", f"-DTYPE={name}", "-o", f"{name}.o")
        succeed(run_nvcc(*words, cwd=tmp_path, backend=backend))
    succeed(run_nvcc("-c", "print.cpp", cwd=tmp_path, backend=backend))

    words = ("print.o", "float.o", "double.o", "-o", "twice")
    succeed(run_nvcc(*words, cwd=tmp_path, backend=backend))

    assert verify(tmp_path / "twice") == []
    if backend == "cpu":
        assert succeed(run(tmp_path / "twice")) == "1.5 2.25\n"


@pytest.mark.slow  # eight files by the calls of the tests above, and detection of a language
def test_cmake_links_device_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBUILD_BACKEND", "cpu")
    toolkit = Path(succeed(run_kbuild("nvcc", "--toolkit")).strip())
    write_sources(tmp_path)
    (tmp_path / "program.cu").write_text(f"#define LAUNCH\n{PROGRAM}")
    for name, result in (("resolved", 2), ("shared", 3)):
        (tmp_path / f"{name}_device.cu").write_text(
            f"__device__ int {name}_value = {result};\n"
            f"__device__ int {name}_device(int x) {{ return x * {name}_value; }}\n"
        )
        (tmp_path / f"{name}.cu").write_text(
            f"__device__ int {name}_device(int);\n"
            f"__global__ void {name}_kernel(int *p) {{ *p = {name}_device(*p); }}\n"
            f"int {name}(int x) {{ int *p; cudaMallocManaged(&p, sizeof *p); *p = x;\n"
            f"{name}_kernel<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p; }}\n"
        )
    (tmp_path / "host.cpp").write_text(
        "int resolved(int); int shared(int);\n"
        "int main() { return resolved(5) == 10 && shared(5) == 15 ? 0 : 1; }\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(CMAKE)
    directory = tmp_path / "build"

    compiler = f"CMAKE_CUDA_COMPILER={toolkit / 'bin' / 'nvcc'}"
    succeed(configure(tmp_path, directory, compiler))
    succeed(build(directory))

    succeed(ctest(directory))
    assert verify(directory / "program", directory / "libplain.a") == []
    names = ("host", "libshared.so", "libresolved.a")
    assert verify(*(directory / name for name in names)) == []


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory for relocatable objects for GPUs, by kbuild and by nvcc."""
    directory = tmp_path_factory.mktemp("mixed")
    write_sources(directory)
    return directory


def compile_mixed(directory: Path, *objects: str) -> None:
    """Compile objects that are not there yet; the second part of a name says by what."""
    for name in objects:
        if (directory / name).exists():
            continue
        source, compiler, _ = name.split(".")
        text = ("program.cu", "-DLAUNCH") if source == "launching" else (f"{source}.cu",)
        words = ("-arch=sm_80", "-dc", *text, "-o", name)
        if compiler == "kbuild":
            succeed(run_nvcc(*words, cwd=directory, backend="cuda"))
        else:
            succeed(run(find_compiler("cuda"), *words, cwd=directory))


def list_linked_kernels(path: Path) -> set[str]:
    """Return the kernels that a device link defined."""
    report = json.loads(succeed(run_kbuild("inspect", "--format=json", path)))
    (artifact,) = report["artifacts"]
    images = [image for image in artifact["images"] if image["container"] == 0]
    return {kernel["display"] for image in images for kernel in image["kernels"]}


@needs_backend("cuda")
@pytest.mark.slow  # nvcc compiles each source, too
@pytest.mark.parametrize("driver", ["kbuild", "nvcc"])
@pytest.mark.parametrize(
    "files",
    [
        ("program.kbuild.o", "library.nvcc.o"),
        ("library.nvcc.o", "launching.kbuild.o"),
        ("program.nvcc.o", "library.kbuild.o"),
        ("library.kbuild.o", "program.nvcc.o"),
        ("launching.kbuild.o", "library.kbuild.o"),
    ],
    ids=" ".join,
)
def test_objects_of_nvcc_and_kbuild_link(
    mixed: Path, tmp_path: Path, files: tuple[str, ...], driver: str
) -> None:
    compile_mixed(mixed, *files)
    words = ("-arch=sm_80", *files, "-o", tmp_path / "program")

    if driver == "kbuild":
        succeed(run_nvcc(*words, cwd=mixed, backend="cuda"))
    else:
        succeed(run(find_compiler("cuda"), *words, cwd=mixed))

    names = list_defined(tmp_path / "program")
    assert len([name for name in names if name.startswith("__cudaRegisterLinkedBinary")]) == 2
    assert {"program_kernel(int*)", "library_kernel(int*)"} <= list_linked_kernels(
        tmp_path / "program"
    )
    assert {rule for rule, _ in verify(tmp_path / "program")} <= {"KB302", "KB106"}


@pytest.mark.slow
@needs_backend("cuda")
def test_kbuild_launches_kernels_of_nvcc(tmp_path: Path) -> None:
    """Without a device, the launch fails, but does not crash."""
    (tmp_path / "kernel.cu").write_text("__global__ void kernel(int *p) { *p += 2; }\n")
    (tmp_path / "main.cu").write_text(
        "__global__ void kernel(int *);\n"
        "int main() { kernel<<<0, 1>>>(nullptr); return cudaGetLastError() == cudaSuccess; }\n"
    )
    options = ("-arch=sm_80", "-dc")
    succeed(run(find_compiler("cuda"), *options, "kernel.cu", "-o", "kernel.o", cwd=tmp_path))
    succeed(run_nvcc(*options, "main.cu", "-o", "main.o", cwd=tmp_path, backend="cuda"))

    words = ("-arch=sm_80", "main.o", "kernel.o", "-o", "program")
    succeed(run_nvcc(*words, cwd=tmp_path, backend="cuda"))

    succeed(run(tmp_path / "program"))


@pytest.mark.slow
@needs_backend("cuda")
def test_shared_launcher_comes_from_kbuild(tmp_path: Path) -> None:
    """The linker keeps the first definition, and only the one of kbuild launches all kernels."""
    launcher = (
        "template <class... A> inline void start(void (*kernel)(A...), A... a)\n"
        "{ kernel<<<1, 1>>>(a...); }\n"
    )
    for name in ("kbuild", "nvcc"):
        kernel = "static __global__ void kernel(int *) {}\n"
        caller = f"void by_{name}() {{ start(kernel, (int *)0); }}\n"
        (tmp_path / f"{name}.cu").write_text(launcher + kernel + caller)
    (tmp_path / "main.cpp").write_text(
        "void by_kbuild(); void by_nvcc(); int main() { by_kbuild(); by_nvcc(); }"
    )
    options = ("-arch=sm_80", "-dc")
    succeed(run(find_compiler("cuda"), *options, "nvcc.cu", "-o", "nvcc.o", cwd=tmp_path))
    succeed(run_nvcc(*options, "kbuild.cu", "-o", "kbuild.o", cwd=tmp_path, backend="cuda"))
    linking = ("-arch=sm_80", "main.cpp", "-o", "program")

    failed = run_nvcc(*linking, "nvcc.o", "kbuild.o", cwd=tmp_path, backend="cuda")
    assert failed.returncode == 2
    assert "nvcc.o: KB309: void start<int*>(void (*)(int*), int*) calls kernels" in failed.stderr
    assert "link kbuild.o first" in failed.stderr

    succeed(run_nvcc(*linking, "kbuild.o", "nvcc.o", cwd=tmp_path, backend="cuda"))
    succeed(run(tmp_path / "program"))


@pytest.mark.slow
@needs_backend("cuda")
def test_nvcc_cannot_launch_kernels_of_kbuild(mixed: Path, tmp_path: Path) -> None:
    compile_mixed(mixed, "library.kbuild.o", "launching.nvcc.o")
    succeed(run_nvcc("-lib", "library.kbuild.o", "-o", "liblibrary.a", cwd=mixed, backend="cuda"))
    files = ("launching.nvcc.o", "liblibrary.a")

    for phase in ((), ("-dlink",)):
        words = (*phase, "-arch=sm_80", *files, "-o", tmp_path / "program")
        failed = run_nvcc(*words, cwd=mixed, backend="cuda")

        assert failed.returncode == 2
        assert "launching.nvcc.o: KB309: main calls library_kernel(int*)" in failed.stderr
        assert not (tmp_path / "program").exists()
    findings = verify(*(mixed / name for name in files))
    assert [rule for rule, _ in findings if rule == "KB309"] == ["KB309"]


@pytest.mark.slow
@needs_backend("cuda")
def test_objects_with_cub_link_in_both_orders(tmp_path: Path) -> None:
    (tmp_path / "sum.cu").write_text(
        "#include <cub/device/device_reduce.cuh>\n"
        "int NAME(int *in, int *out) {\n"
        "    size_t bytes = 0;\n"
        "    return cub::DeviceReduce::Sum(nullptr, bytes, in, out, 9) != cudaSuccess;\n"
        "}\n"
    )
    (tmp_path / "main.cpp").write_text(
        "int by_kbuild(int *, int *); int by_nvcc(int *, int *);\n"
        "int main() { return by_kbuild(0, 0) != by_nvcc(0, 0); }\n"
    )
    options = ("-arch=sm_80", "-dc", "sum.cu")
    own = (*options, "-DNAME=by_kbuild", "-o", "kbuild.o")
    succeed(run_nvcc(*own, cwd=tmp_path, backend="cuda"))
    other = (*options, "-DNAME=by_nvcc", "-o", "nvcc.o")
    succeed(run(find_compiler("cuda"), *other, cwd=tmp_path))

    for files in (("kbuild.o", "nvcc.o"), ("nvcc.o", "kbuild.o")):
        words = ("-arch=sm_80", "main.cpp", *files, "-o", "program")
        succeed(run_nvcc(*words, cwd=tmp_path, backend="cuda"))
        succeed(run(tmp_path / "program"))
        assert {rule for rule, _ in verify(tmp_path / "program")} <= {"KB302", "KB106"}
