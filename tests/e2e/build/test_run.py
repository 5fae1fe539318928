"""Tests of ``kbuild run`` with several sources, and of executables in ``kbuild.toml``."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support.commands import KBUILD, run, run_kbuild, succeed

MAIN = r"""
#include <cuda_runtime.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
extern "C" int c_part();
int cpp_part();
__global__ void k(int* p, int v) { *p = v; }
int main(int argc, char** argv) {
    int* d = nullptr;
    int v = 0;
    char line[8] = "";
    cudaMalloc(&d, sizeof *d);
    k<<<1, 1>>>(d, VALUE);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %s %s", v, c_part(), cpp_part(), argv[2], std::fgets(line, 8, stdin));
    std::fflush(stdout);
    return *argv[1] == 's' ? std::raise(SIGTERM) : std::atoi(argv[1]);
}
"""
SOURCES = {
    "main.cu": MAIN,
    "c part.c": "int cudaSetDevice(int);\nint c_part() { return 1 + cudaSetDevice(0); }\n",
    "part.cpp": "#include <header.hpp>\nint cpp_part() { return header + HOST_OPTION; }\n",
    "include/header.hpp": "constexpr int header = 2;\n",
}
WORDS = (
    *("run", "main.cu", "c part.c", "part.cpp", "-I", "include", "-D", "VALUE=5", "-l", "m"),
    *("-l", "kbuild::host_api_cpu"),
    *("--backend", "cpu", "--std", "20", "--host-options=-DHOST_OPTION=1", "--device-options=-O1"),
)
MANIFEST = """
[target.program]
kind = "executable"
backend = "cpu"
sources = ["main.cu", "c part.c", "part.cpp"]
include_directories = ["include"]
definitions = ["VALUE=5"]
host_options = ["-DHOST_OPTION=1"]
link_libraries = ["m", "kbuild::host_api_cpu"]
architectures = ["x86-64"]

[target.objects]
kind = "object"
sources = ["library.cu", "kernels.cu"]
architectures = ["x86-64"]
"""
UNDEFINED = """
__global__ void k(int*);
namespace ns { __global__ void inside(int*); }
extern "C" __global__ void c_kernel(int*); void other(int*); int main() {
    k<<<1, 1>>>(nullptr);
    ns::inside<<<1, 1>>>(nullptr);
    c_kernel<<<1, 1>>>(nullptr);
    other(nullptr);
}
"""
LIBRARY = """
#include <cuda_runtime.h>
template <class T> __global__ void fill(T* p) { *p = 9; }
template <class T> int launch() {
    T* d = nullptr;
    T v = 0;
    cudaMalloc(&d, sizeof v);
    fill<<<1, 1>>>(d);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}
template int launch<int>();
extern "C" int launch_int() { return launch<int>(); }
"""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("run with spaces")
    (directory / "include").mkdir()
    for name, text in SOURCES.items():
        (directory / name).write_text(text)
    return directory


def run_program(directory: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(KBUILD), *WORDS, "--", *words],
        input="input\n",
        capture_output=True,
        text=True,
        check=False,
        cwd=directory,
    )


def test_program_gets_arguments_and_input_and_sets_the_exit_code(directory: Path) -> None:
    first = run_program(directory, "3", "--backend")
    second = run_program(directory, "0", "two words")

    assert (first.returncode, first.stdout) == (3, "5 1 3 --backend input\n"), first.stderr
    assert (second.returncode, second.stdout) == (0, "5 1 3 two words input\n")
    assert second.stderr == ""  # nothing was built
    assert run_program(directory, "s", "x").returncode in (-15, 143)


def test_verbose_output_names_the_execution_model(directory: Path) -> None:
    done = run(KBUILD, *WORDS, "-v", "--build-only", cwd=directory)  # as the test before

    assert done.returncode == 0
    assert "k(int*, int): plain loop\n" in done.stderr


LEVELS = r"""
#include <cuda_runtime.h>
#include <cstdio>
__global__ void k(int* p) {
#ifdef __OPTIMIZE__
    *p = 1;
#endif
}
int main() {
    int optimized = 0, threads = 0;
    int* p = nullptr;
    cudaMallocManaged(&p, sizeof *p);
    *p = 0;
    k<<<1, 1>>>(p);
    cudaDeviceSynchronize();
#ifdef __OPTIMIZE__
    optimized = 1;
#endif
#pragma omp parallel num_threads(2) reduction(+ : threads)
    threads += 1;
    std::printf("host %d, device %d, threads %d\n", optimized, *p, threads);
}
"""


@pytest.mark.parametrize(
    ("words", "output", "has_lines"),
    [
        pytest.param((), "host 1, device 1, threads 1", False, marks=pytest.mark.slow),
        pytest.param(("-O", "0"), "host 0, device 0, threads 1", False, marks=pytest.mark.slow),
        pytest.param(("-g",), "host 0, device 0, threads 1", True, marks=pytest.mark.slow),
        (
            ("-g", "-O2", "--host-options=-fopenmp -include cmath -include vector"),
            *("host 1, device 1, threads 2", True),
        ),
    ],
)
def test_program_is_built_and_written(
    tmp_path: Path, words: tuple[str, ...], output: str, has_lines: bool
) -> None:
    (tmp_path / "levels.cu").write_text(LEVELS)
    program = tmp_path / "program"
    program.write_text("old")
    rest = ("--backend", "cpu", "--arch", "x86-64", "--build-only", "-o", "program")

    built = run_kbuild("run", "levels.cu", *words, *rest, cwd=tmp_path)

    assert (built.returncode, built.stdout) == (0, f"{program}\n"), built.stderr
    assert succeed(run(program)).strip() == output
    sections = succeed(run("readelf", "-SW", program))
    assert (".debug_line" in sections) == has_lines
    assert "x86-64 " in succeed(run_kbuild("inspect", program))
    assert {path.name for path in tmp_path.iterdir()} == {"levels.cu", "program"}


@pytest.mark.slow
def test_concurrent_runs_build_once(directory: Path) -> None:
    words = [str(KBUILD), *WORDS, "-D", "CONCURRENT", "--", "4", "x"]
    processes = [subprocess.Popen(words, cwd=directory, stdin=subprocess.PIPE) for _ in range(3)]
    for process in processes:
        process.communicate(b"y\n")

    assert [process.returncode for process in processes] == [4, 4, 4]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.cu",), "missing.cu: no such file"),
        (("include",), "include: expected a file, not a directory"),
        (("part.cpp",), "expected at least one .cu or .hip file"),
        (("main.cu", "include/header.hpp"), "header.hpp' is not a source; expected a .cu"),
        (("main.cu", "--std", "99"), "--std: unsupported standard 99; expected one of 17"),
        (("main.cu", "-I", "missing"), "-I: "),
        (("main.cu", "--arch", "sm_90"), "--arch: unknown architecture 'sm_90' for backend cpu"),
        (("main.cu", "-O", "7"), "argument -O: invalid choice: '7'"),
        (("main.cu", "-o", "include"), "-o include: expected the path of a file"),
        (("main.cu", "-o", "no/program"), "-o no/program: there is no directory no; create it"),
        (("main.cu", "--build-only", "--", "x y"), "there are arguments after --: 'x y'"),
    ],
)
def test_error_names_the_argument(directory: Path, words: tuple[str, ...], message: str) -> None:
    result = run_kbuild("run", "--backend", "cpu", *words, cwd=directory)

    assert result.returncode == 2
    assert message in result.stderr
    assert "[target." not in result.stderr


def test_launch_in_a_cpp_source_is_an_error(directory: Path) -> None:
    (directory / "launch.cpp").write_text("void f() { k<<<1, 1>>>(); }\n")

    result = run_kbuild("run", "--backend", "cpu", "launch.cpp", cwd=directory)

    assert result.returncode == 2
    assert "launch.cpp:1: a launch with <<<>>> in a C++ source" in result.stderr


def test_launch_of_an_undefined_kernel_is_explained(directory: Path) -> None:
    (directory / "undefined.cu").write_text(UNDEFINED)

    result = run_kbuild("run", "--backend", "cpu", "undefined.cu", cwd=directory)

    lines = [line for line in result.stderr.splitlines() if "is launched" in line]
    places = [line.partition(", but no linked file defines it; define it in")[0] for line in lines]
    assert sorted(places) == [
        f"kbuild: error: {directory / 'undefined.cu'}:{line}: kernel '{name}' is launched"
        for line, name in ((5, "k"), (6, "inside"), (7, "c_kernel"))
    ]


def test_unwritable_cache_is_an_error(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/cache")

    result = run_kbuild("run", "--backend", "cpu", "main.cu", cwd=directory)

    assert result.returncode == 2
    assert "Traceback" not in result.stderr


@pytest.mark.slow
def test_manifest_builds_programs_and_objects_with_host_code(directory: Path) -> None:
    (directory / "kbuild.toml").write_text(MANIFEST)
    (directory / "library.cu").write_text(LIBRARY)
    (directory / "kernels.cu").write_text("__global__ void only_device(int* p) { *p = 1; }\n")
    (directory / "host.cpp").write_text(
        'extern "C" int launch_int();\nint main() { return launch_int(); }\n'
    )

    succeed(run_kbuild("build", cwd=directory))

    output = directory / "build" / "kbuild"
    program = subprocess.run([output / "program" / "program", "6", "x"], input=b"y\n", check=False)
    assert program.returncode == 6
    libraries = succeed(run_kbuild("config", "--libs", "cpu")).split()
    objects = output / "objects" / "objects.o"
    host = directory / "host"
    succeed(run("c++", directory / "host.cpp", objects, *libraries, "-o", host))
    assert run(host).returncode == 9
