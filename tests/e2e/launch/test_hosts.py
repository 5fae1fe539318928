"""The table of hosts and backends in ``docs/reference/hosts.md`` has what programs do here.

``KBUILD_UPDATE_GOLDEN=1 pytest -m slow tests/e2e/launch/test_hosts.py`` writes the table.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import KBUILD, ROOT, build, configure, run, run_kbuild, succeed
from support.tools.toolchains import find_problem, needs_programs

pytestmark = [pytest.mark.slow, needs_programs("gfortran", "rustc")]
PAGE = ROOT / "docs" / "reference" / "hosts.md"
EXAMPLES = ROOT / "examples"
BACKENDS = ("cpu", "cuda", "hip")
C_HOST = """
#include "vector_kernels_kernels.h"
int main(void)
{
    const struct kbuild_launch_config config = {{1, 1, 1}, {8, 1, 1}};
    void *memory;
    int values[8];
    if (kbuild_malloc(&memory, sizeof values)) return 77;
    if (launch_cfill(&config, (int *)memory, 7)) return 1;
    if (kbuild_memcpy(values, memory, sizeof values, KBUILD_COPY_TO_HOST)) return 2;
    return values[7] == 7 ? 0 : 3;
}
"""
CPP_HOST = """
#include "vector_kernels_kernels.hpp"
int main()
{
    void* memory = nullptr;
    int values[8];
    if (kbuild::allocate(&memory, sizeof values)) return 77;
    if (kbuild::launch(cfill, {1, 8}, static_cast<int*>(memory), 7)) return 1;
    if (kbuild::copy(values, memory, sizeof values, KBUILD_COPY_TO_HOST)) return 2;
    return values[7] == 7 ? 0 : 3;
}
"""
PYTHON_HOST = """
import sys, numpy, kbuild
from kbuild.errors import LaunchError
values = numpy.zeros(8, numpy.int32)
try:
    kbuild.load(sys.argv[1])["cfill"][1, 8](values, 7)
except LaunchError:
    sys.exit(77)
sys.exit(0 if values.tolist() == [7] * 8 else 3)
"""


AARCH64 = "aarch64-linux-gnu-"
TOOLCHAIN = f"""
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER {AARCH64}gcc)
set(CMAKE_CXX_COMPILER {AARCH64}g++)
set(CMAKE_Fortran_COMPILER {AARCH64}gfortran)
"""
CROSS_PROJECT = f"""
cmake_minimum_required(VERSION 3.22...4.0)
project(hosts LANGUAGES C CXX Fortran)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(vector_kernels SHARED SOURCES vector.cu BACKEND cpu)
add_executable(c_host main.c)
add_executable(cpp_host main.cpp)
add_custom_command(OUTPUT kernels.f90 DEPENDS vector_kernels VERBATIM
    COMMAND "{KBUILD}" bindings --lang fortran -o kernels.f90 $<TARGET_FILE:vector_kernels>)
add_executable(fortran_host kernels.f90 "{EXAMPLES}/fortran_host/main.f90")
foreach(host IN ITEMS c_host cpp_host fortran_host)
    target_link_libraries(${{host}} PRIVATE vector_kernels)
endforeach()
"""


def build_library(directory: Path, backend: str) -> Path:
    source = (EXAMPLES / "fortran_host" / "vector.cu").read_text()
    header = "#include <hip/hip_runtime.h>\n" if backend == "hip" else ""
    architecture = {"cpu": "x86-64", "cuda": "80", "hip": "gfx90a"}[backend]
    (directory / "vector.cu").write_text(header + source)
    (directory / "kbuild.toml").write_text(
        f'[target.vector_kernels]\nsources = ["vector.cu"]\nbackend = "{backend}"\n'
        f'architectures = ["{architecture}"]\n'
    )
    built = run_kbuild("build", cwd=directory)
    assert built.returncode == 0, built.stderr
    return Path(built.stdout.strip())


def write_bindings(library: Path, language: str, name: str) -> Path:
    path = library.parent / name
    written = run_kbuild("bindings", "--lang", language, "-o", path, library)
    assert written.returncode == 0, written.stderr
    return path


def find_options(library: Path, *kinds: str) -> list[str]:
    return succeed(run(KBUILD, "config", *kinds, library)).split()


def compile_c(library: Path, compiler: str, suffix: str, text: str) -> list[object]:
    source = library.parent / f"main{suffix}"
    source.write_text(text)
    host = library.parent / f"host{suffix}.out"
    options = find_options(library, "--cflags", "--libs")
    succeed(run(compiler, source, "-o", host, *options))
    return [host]


def compile_fortran(library: Path) -> list[object]:
    module = write_bindings(library, "fortran", "kernels.f90")
    host = library.parent / "fortran.out"
    words = ("gfortran", f"-J{library.parent}", module, EXAMPLES / "fortran_host" / "main.f90")
    succeed(run(*words, "-o", host, *find_options(library, "--libs")))
    return [host]


def compile_rust(library: Path) -> list[object]:
    write_bindings(library, "rust", "vector_kernels.rs")
    host = library.parent / "rust.out"
    links = [f"-Clink-arg={word}" for word in find_options(library, "--libs")]
    source = EXAMPLES / "rust_host" / "src" / "main.rs"
    environment = ("env", f"OUT_DIR={library.parent}")
    succeed(run(*environment, "rustc", "--edition", "2021", source, "-o", host, *links))
    return [host]


HOSTS: dict[str, Callable[[Path], list[object]]] = {
    "C": lambda library: compile_c(library, "gcc", ".c", C_HOST),
    "C++": lambda library: compile_c(library, "g++", ".cpp", CPP_HOST),
    "Fortran": compile_fortran,
    "Rust": compile_rust,
    "Python": lambda library: [sys.executable, "-c", PYTHON_HOST, library],
}


def describe_run(argv: list[object]) -> str:
    """Return what a host program does: it runs, or it links and reports that there is no device."""
    done = run(*argv)
    assert done.returncode in (0, 77), done.stdout + done.stderr
    return "runs" if done.returncode == 0 else "links"


def test_table_of_hosts(tmp_path: Path) -> None:
    missing = [backend for backend in BACKENDS if find_problem(backend)]
    if missing:
        pytest.skip(f"no toolchain for {', '.join(missing)}")
    libraries = {}
    for backend in BACKENDS:
        (tmp_path / backend).mkdir()
        libraries[backend] = build_library(tmp_path / backend, backend)

    lines = [
        f"| {language} | "
        + " | ".join(describe_run(prepare(libraries[backend])) for backend in BACKENDS)
        + " |"
        for language, prepare in HOSTS.items()
    ]

    pattern = r"(?<=<!-- measured -->\n\n)(\|.*\n)+"
    table = "\n".join(["| Host | CPU | CUDA | HIP |", "|---|---|---|---|", *lines]) + "\n"
    if "KBUILD_UPDATE_GOLDEN" in os.environ:
        PAGE.write_text(re.sub(pattern, lambda _: table, PAGE.read_text()))
    found = re.search(pattern, PAGE.read_text())
    assert found is not None
    # With a device, programs run that only link elsewhere.
    assert table.replace("runs", "links") == found[0].replace("runs", "links")
    assert [line.split("|")[2].strip() for line in lines] == ["runs"] * len(lines)


@needs_programs(*(f"{AARCH64}{name}" for name in ("gcc", "g++", "gfortran")), "qemu-aarch64")
def test_hosts_for_aarch64_run_in_an_emulator(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    shutil.copy(EXAMPLES / "fortran_host" / "vector.cu", source)
    for name, text in {
        "toolchain.cmake": TOOLCHAIN,
        "CMakeLists.txt": CROSS_PROJECT,
        "main.c": C_HOST,
        "main.cpp": CPP_HOST,
    }.items():
        (source / name).write_text(text)
    directory = tmp_path / "build"
    toolchain = f"CMAKE_TOOLCHAIN_FILE={source / 'toolchain.cmake'}"
    succeed(configure(source, directory, toolchain))
    succeed(build(directory))

    for host in ("c_host", "cpp_host", "fortran_host"):
        emulated = ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", directory / host)
        assert describe_run([*emulated]) == "runs"
