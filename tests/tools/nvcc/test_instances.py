"""Explicit instances of kernel templates: other sources, libraries, and C++ compilers find them."""

from __future__ import annotations

import itertools
import re
import subprocess
from pathlib import Path

import pytest

from support.commands import PROJECTS, run, run_kbuild, succeed
from support.tools.toolchains import require_backend, require_programs

INSTANCES = PROJECTS / "instances"
# How the host code of another compiler declares the kernel template.
DECLARATIONS = ("", "-DWITH_EXTERN", "-DWITH_BODY")
LINKERS = ("bfd", "gold", "lld")
INSTANCE = "_ZN2ns4fillIfLi8EEEvPT_S1_"
FILES = ("define1.o", "define2.o", "launch.o")
ROTATIONS = [FILES[number:] + FILES[:number] for number in range(len(FILES))]


def compile_source(
    directory: Path, source: str, *words: str, name: str, backend: str = "cpu"
) -> None:
    architecture = "native" if backend == "cpu" else "sm_90"
    options = (f"-arch={architecture}", "-Xcompiler", "-fPIC", *words)
    command = ("nvcc", f"--backend={backend}", *options, "-c", INSTANCES / source, "-o", name)
    succeed(run_kbuild(*command, cwd=directory))


def describe_symbols(path: Path) -> dict[str, str]:
    listed = succeed(run("nm", path))
    return {line.split()[-1]: line.split()[-2] for line in listed.splitlines()}


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with two sources that define the same instances, and one that launches them."""
    directory = tmp_path_factory.mktemp("instances")
    for number in ("1", "2"):
        compile_source(directory, "define.cu", f"-DSOURCE={number}", name=f"define{number}.o")
    compile_source(directory, "launch.cu", "-DTWO_SOURCES=1", name="launch.o")
    return directory


@pytest.mark.parametrize(
    "files",
    [
        # By default, each file is the first one once, and the last one once.
        pytest.param(files, marks=() if files in ROTATIONS else pytest.mark.slow)
        for files in itertools.permutations(FILES)
    ],
)
def test_sources_share_explicit_instances(objects: Path, files: tuple[str, ...]) -> None:
    succeed(run_kbuild("nvcc", "--backend=cpu", *files, "-o", "program", cwd=objects))

    assert succeed(run(objects / "program")) == "0 failures\n"
    succeed(run_kbuild("verify", "program", *files, cwd=objects))


@pytest.mark.parametrize(
    ("backend", "compiler"),
    [
        ("cpu", "g++"),
        pytest.param("cpu", "clang++", marks=pytest.mark.slow),
        pytest.param("cuda", "g++", marks=pytest.mark.slow),
        pytest.param("cuda", "clang++", marks=pytest.mark.slow),
    ],
)
def test_symbols_of_instances(tmp_path: Path, backend: str, compiler: str) -> None:
    require_backend(backend)
    require_programs(compiler)
    words = ("-ccbin", compiler, "-O2")
    for options, linkage in (((), "t"), (("-static-global-template-stub=false",), "V")):
        compile_source(
            tmp_path, "define.cu", *words, *options, "-DSOURCE=1", name="a.o", backend=backend
        )
        symbols = describe_symbols(tmp_path / "a.o")

        assert symbols[INSTANCE] == "T"
        assert symbols["_ZN2ns4fillIlLi2EEEvPT_S1_"] == "T"
        assert symbols["_Z8implicitIfEvPT_"] == linkage
        succeed(run_kbuild("verify", "a.o", cwd=tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_names_that_no_demangler_reads(tmp_path: Path, backend: str) -> None:
    """As in CUTLASS: demanglers give up on names with thousands of parts."""
    require_backend(backend)
    architecture = "native" if backend == "cpu" else "sm_90"
    command = ("nvcc", f"--backend={backend}", f"-arch={architecture}", "-O0")

    succeed(run_kbuild(*command, INSTANCES / "long_names.cu", "-o", "program", cwd=tmp_path))

    succeed(run_kbuild("verify", "program", cwd=tmp_path))
    if backend == "cpu":
        assert succeed(run(tmp_path / "program")) == "0 142\n"


@pytest.mark.parametrize(
    "linker", ["bfd", *(pytest.param(n, marks=pytest.mark.slow) for n in LINKERS[1:])]
)
@pytest.mark.parametrize("declaration", DECLARATIONS)
@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_other_compilers_launch_instances(
    objects: Path, tmp_path: Path, compiler: str, declaration: str, linker: str
) -> None:
    """The compiler's own instance of a body is weak, so that the handle replaces it."""
    require_programs(compiler, f"ld.{linker}")
    flags = succeed(run_kbuild("config", "--cflags", "cpu")).split()
    libraries = succeed(run_kbuild("config", "--libs", "cpu")).split()
    words = (*flags, "-std=c++20", *filter(None, (declaration,)), f"-fuse-ld={linker}")
    host = str(INSTANCES / "host.cpp")
    succeed(run(compiler, *words, host, objects / "define1.o", *libraries, "-o", tmp_path / "p"))
    succeed(run(tmp_path / "p"))

    library = tmp_path / "libkernels.so"
    succeed(run(compiler, f"-fuse-ld={linker}", "-shared", objects / "define1.o", "-o", library))
    succeed(run(compiler, *words, host, library, *libraries, "-o", tmp_path / "q"))
    started = subprocess.run([tmp_path / "q"], capture_output=True, text=True, check=False)
    verified = run_kbuild("verify", tmp_path / "q", library)

    if declaration == "-DWITH_BODY":
        # The program's own function hides the kernel of the library.
        assert "no kernel is registered" in started.stdout
        assert "KB405" in verified.stdout
        assert "has a function with the name of ns::fill<float, 8>" in verified.stdout
    else:
        assert (started.returncode, verified.returncode) == (0, 0), verified.stdout


CALLS = """
#include <cstdio>
template <class T> __global__ void explicit_instance(T* p) { *p = 1; }
template __global__ void explicit_instance<int>(int*);
template <class T> __global__ void implicit_instance(T* p) { *p = 1; }
__global__ void plain(int* p) { *p = 1; }
template <class F> void bench(F f, int* p) {
    f(p);
    std::printf("%s\\n", cudaGetErrorName(cudaGetLastError()));
}
int main() {
    int* p;
    cudaMallocManaged(&p, sizeof(int));
    bench(explicit_instance<int>, p);
    bench(implicit_instance<int>, p);
    bench(plain, p);
    plain<<<1, 1>>>(p);
    bench(plain, p);
    return cudaDeviceSynchronize() != cudaSuccess || *p != 1;
}
"""


@pytest.mark.parametrize("level", ["-O0", pytest.param("-O2", marks=pytest.mark.slow)])
@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_called_kernels_are_reported(tmp_path: Path, compiler: str, level: str) -> None:
    (tmp_path / "calls.cu").write_text(CALLS)
    options = ("-arch=native", "-ccbin", compiler, level)
    words = ("nvcc", "--backend=cpu", *options, "calls.cu", "-o", "calls")
    succeed(run_kbuild(*words, cwd=tmp_path))

    result = run(tmp_path / "calls")

    assert (result.returncode, result.stdout) == (0, "cudaErrorMissingConfiguration\n" * 4)
    # Only programs that are linked with a C++ library have its demangler.
    text = re.sub(r"_Z17(\w{8}_instance)IiEvPT_", r"void \1<int>(int*)", result.stderr)
    reported = [line.partition(" was ")[0] for line in text.splitlines()]
    assert reported == [
        "kbuild: the kernel void explicit_instance<int>(int*)",
        "kbuild: the kernel void implicit_instance<int>(int*)",
        "kbuild: the kernel plain(int*)",
        "kbuild: the kernel plain(int*)",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_calls_for_a_gpu(tmp_path: Path, level: str) -> None:
    require_backend("cuda")
    source = CALLS.replace("bench(plain, p);", "if (p) { auto f = plain; f(p); }")
    (tmp_path / "calls.cu").write_text(source.replace("int* p;", "int* p = nullptr;"))
    options = ("-arch=sm_90", level, "-Xcompiler", "-Werror")
    built = run_kbuild("nvcc", "--backend=cuda", *options, "calls.cu", "-o", "calls", cwd=tmp_path)

    result = run(tmp_path / "calls")

    assert built.returncode == 0, built.stderr
    warnings = built.stderr.count(" declared with attribute warning: a kernel is called")
    assert bool(warnings) == (level == "-O2")
    assert [line.partition(" was ")[2][:26] for line in result.stderr.splitlines()] == [
        "called like a function; la"
    ] * 2
