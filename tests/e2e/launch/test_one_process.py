"""Several kernel libraries, and several sources of one library, in one process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kbuild
from kbuild import resources
from kbuild.inspect import inspect_path
from kbuild.verify import verify
from support.commands import run, succeed
from support.files.hand_made import INCLUDE
from support.kernel_libraries import BuildKernelLibrary

STUBS = {"OFF": {}, "ON": {"debug_stubs": "ON", "stub_suffix": ".cpp"}}

HOST = """\
#include <kbuild/kbuild.hpp>

#include <cstdio>
#include <cstdlib>

inline void succeed(const kbuild::error& error) {
    if (!error) return;
    std::fprintf(stderr, "%s\\n", error.message());
    std::exit(1);
}

inline int value_of(void (*kernel)(int*)) {
    int value = 0;
    succeed(kbuild::launch(kernel, {1, 1}, &value));
    return value;
}

inline void expect(int found, int wanted) {
    if (found == wanted) return;
    std::fprintf(stderr, "%d instead of %d\\n", found, wanted);
    std::exit(1);
}
"""


@pytest.fixture(params=[pytest.param("OFF", marks=pytest.mark.slow), "ON"])
def stubs(request: pytest.FixtureRequest) -> dict[str, Any]:
    return STUBS[request.param]


def link_host(directory: Path, text: str, *libraries: Path, compiler: str = "g++") -> Path:
    """Build a host program in C++, or in C if the compiler is ``gcc``."""
    source = directory / ("host.c" if compiler == "gcc" else "host.cpp")
    source.write_text(text)
    runtime = resources.find_runtime("libkbuild_cpu.so.1")
    files = (*libraries, runtime)
    directories = {path.parent for path in files}
    standard = "-std=c11" if compiler == "gcc" else "-std=c++17"
    generated = (
        f"-I{header.parent}" for path in directories for header in path.rglob("*_kernels.h")
    )
    program = directory / "host"
    succeed(
        run(
            *(compiler, standard, "-Wall", "-Wextra", "-Werror", "-O2", f"-I{INCLUDE}"),
            *generated,
            *(source, *files, "-o", program, "-pthread"),
            *(f"-Wl,-rpath,{path}" for path in directories),
        )
    )
    return program


def run_verified(program: Path, *libraries: Path) -> None:
    report = verify(tuple(f for path in (program, *libraries) for f in inspect_path(path)))
    assert report.ok, report.findings
    succeed(run(program))


def answer(name: str, number: int) -> dict[str, str]:
    return {f"{name}.cu": f"__global__ void {name}(int* to) {{ *to = {number}; }}\n"}


def test_program_links_two_libraries(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, stubs: dict[str, Any]
) -> None:
    libraries = [
        build_kernel_library(answer(name, number), target=name, **stubs)
        for name, number in (("one", 1), ("two", 2))
    ]
    program = link_host(
        tmp_path,
        HOST + "KBUILD_KERNEL void one(int*);\n"
        "KBUILD_KERNEL void two(int*);\n"
        "int main() { expect(value_of(one), 1); expect(value_of(two), 2); }\n",
        *libraries,
    )

    run_verified(program, *libraries)


def test_kernels_of_the_same_name_in_separate_scopes(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, stubs: dict[str, Any]
) -> None:
    one, two = (build_kernel_library(answer("answer", number), **stubs) for number in (1, 2))
    program = link_host(
        tmp_path,
        HOST + "#include <dlfcn.h>\n"
        "using Kernel = void (*)(int*);\n"
        "Kernel find(const char* path) {\n"
        "    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);\n"
        '    if (!library) std::fprintf(stderr, "%s\\n", dlerror());\n'
        '    return reinterpret_cast<Kernel>(dlsym(library, "_Z6answerPi"));\n'
        "}\n"
        "int main() {\n"
        f'    const Kernel one = find("{one}"), two = find("{two}");\n'
        "    for (int i = 0; i < 2; ++i) {\n"
        "        expect(value_of(one), 1);\n"
        "        expect(value_of(two), 2);\n"
        "    }\n"
        "}\n",
    )

    succeed(run(program))


COMMON = """\
#pragma once
template <class T>
__global__ void fill(T* to) {
    *to = 7;
}
static __global__ void local(int* to);
"""


def source_with_a_constant(name: str, number: int, common: Path) -> str:
    return (
        f'#include "{common}"\n'
        f"__constant__ int weight = {number};\n"
        f"__global__ void {name}(int* to) {{ *to = weight; }}\n"
        "static __global__ void local(int* to) { *to = weight * 10; }\n"
        "template __global__ void fill<int>(int*);\n"
    )


def test_sources_of_one_library_share_names(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, stubs: dict[str, Any]
) -> None:
    common = tmp_path / "common.hpp"
    common.write_text(COMMON)
    sources = {
        f"{name}.cu": source_with_a_constant(name, number, common)
        for name, number in (("left", 1), ("right", 2))
    }
    library = build_kernel_library(sources, **stubs)
    program = link_host(
        tmp_path,
        HOST + "KBUILD_KERNEL void left(int*);\n"
        "KBUILD_KERNEL void right(int*);\n"
        "template <class T> KBUILD_KERNEL void fill(T*);\n"
        "extern template KBUILD_KERNEL void fill<int>(int*);\n"
        "int main() {\n"
        "    expect(value_of(left), 1);\n"
        "    expect(value_of(right), 2);\n"
        "    expect(value_of(fill<int>), 7);\n"
        "}\n",
        library,
    )

    run_verified(program, library)

    module = kbuild.load(library)
    value = np.zeros(1, dtype=np.int32)
    found = {}
    for name in ("_Z4leftPi", "_Z5rightPi", "_ZL5localPi", "_ZL5localPi.1"):
        module[name].launch(grid=1, block=1, args=[value])
        found[name] = int(value[0])
    assert list(found.values()) == [1, 2, 10, 20]
    if stubs:
        symbols = succeed(run("nm", library))
        for stub in ("_ZL20__device_stub__localPi", "_ZL20__device_stub__localPi.1"):
            assert f" t {stub}\n" in symbols


def test_library_is_reopened_during_launches_of_another(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, stubs: dict[str, Any]
) -> None:
    steady = build_kernel_library(answer("steady", 5), target="steady", **stubs)
    guest = build_kernel_library(answer("guest", 6), target="guest", **stubs)
    program = link_host(
        tmp_path,
        HOST + "#include <dlfcn.h>\n#include <atomic>\n#include <thread>\n"
        "KBUILD_KERNEL void steady(int*);\n"
        "using Kernel = void (*)(int*);\n"
        "int main() {\n"
        "    std::atomic<bool> is_done{false};\n"
        "    std::atomic<long> launches{0};\n"
        "    auto work = [&] {\n"
        "        do {\n"
        "            expect(value_of(steady), 5);\n"
        "            ++launches;\n"
        "        } while (!is_done);\n"
        "    };\n"
        "    std::thread first(work), second(work);\n"
        "    for (int i = 0; i < 100; ++i) {\n"
        f'        void* library = dlopen("{guest}", RTLD_NOW | RTLD_LOCAL);\n'
        '        expect(value_of(reinterpret_cast<Kernel>(dlsym(library, "_Z5guestPi"))), 6);\n'
        "        expect(dlclose(library), 0);\n"
        f'        expect(dlopen("{guest}", RTLD_NOW | RTLD_NOLOAD) == nullptr, true);\n'
        "    }\n"
        "    is_done = true;\n"
        "    first.join();\n"
        "    second.join();\n"
        "    expect(launches > 100, true);\n"
        "}\n",
        steady,
    )

    succeed(run(program))


def test_c_program_launches_a_kernel(
    tmp_path: Path, build_kernel_library: BuildKernelLibrary, stubs: dict[str, Any]
) -> None:
    library = build_kernel_library(answer("answer", 42), **stubs)
    program = link_host(
        tmp_path,
        '#include "kernels_kernels.h"\n'
        "#include <stdio.h>\n"
        "int main(void)\n"
        "{\n"
        "    const kbuild_launch_config config = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };\n"
        "    int value = 0, *to = &value;\n"
        "    void *arguments[] = { &to };\n"
        "    kbuild_error_t error = kbuild_launch((const void *)answer, &config, arguments);\n"
        "    if (error)\n"
        '        fprintf(stderr, "%s\\n", kbuild_error_message(error));\n'
        "    return value != 42;\n"
        "}\n",
        library,
        compiler="gcc",
    )

    run_verified(program, library)
