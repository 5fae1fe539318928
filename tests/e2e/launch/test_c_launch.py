"""Launches that pass an array of addresses: `kbuild_launch` from C, and as a linked function."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from support.commands import configure, run, succeed

KERNEL = """
extern "C" __global__ void work(int value, const float* unused, int* to) { *to = value; }
extern "C" __global__ void nothing() { }
"""
# The linkable function has the same name as the inline one.
HOST = """
#include <kbuild/kbuild.h>
#include <stdio.h>
KBUILD_KERNEL void work(int value, const float *unused, int *to);
KBUILD_KERNEL void nothing(void);
extern int linked(const void *, const struct kbuild_launch_config *, void **)
    __asm__("kbuild_launch");
int main(void)
{
    kbuild_launch_config config = { .grid = { 1, 1, 1 }, .block = { 1, 1, 1 } };
    int value = 5, result = 0, *to = 0, error;
    float unused = 0, *pointer = &unused;
    void *args[] = { &value, &pointer, &to };
    if (kbuild_malloc((void **)&to, sizeof *to))
        return 1;
    error = kbuild_launch(work, &config, args);
    kbuild_memcpy(&result, to, sizeof result, KBUILD_COPY_TO_HOST);
    printf("%d %d, ", error, result);
    value = 6;
    error = linked(__extension__(const void *)work, &config, args);
    kbuild_memcpy(&result, to, sizeof result, KBUILD_COPY_TO_HOST);
    printf("%d %d, ", error, result);
    printf("%d, %d\\n", kbuild_launch(nothing, &config, 0), linked(&value, &config, args));
    return 0;
}
"""
PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(c_launch LANGUAGES C CXX)
find_package(kbuild CONFIG REQUIRED)
foreach(stubs IN ITEMS ON OFF)
    foreach(kind IN ITEMS SHARED STATIC)
        kbuild_add_kernels(${kind}_${stubs} ${kind} SOURCES work.cu DEBUG_STUBS ${stubs}
            ARCHITECTURES x86-64 VERIFY OFF)
        foreach(optimization IN ITEMS O0 O2)
            set(host host_${kind}_${stubs}_${optimization})
            add_executable(${host} host.c)
            target_compile_options(${host} PRIVATE -${optimization} -Wall -Wextra -Werror)
            target_link_libraries(${host} PRIVATE ${kind}_${stubs})
        endforeach()
    endforeach()
endforeach()
"""


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("c_launch")
    for name, text in {"work.cu": KERNEL, "host.c": HOST, "CMakeLists.txt": PROJECT}.items():
        (directory / name).write_text(text)
    succeed(configure(directory, directory / "build"))
    succeed(run("cmake", "--build", directory / "build"))
    return directory / "build"


@pytest.mark.parametrize("optimization", ["O0", "O2"])
@pytest.mark.parametrize("kind", ["SHARED", "STATIC"])
def test_launches_from_c_go_through_debug_stubs(
    programs: Path, tmp_path: Path, kind: str, optimization: str
) -> None:
    trace = tmp_path / "trace.json"
    for stubs in ("OFF", "ON"):
        program = programs / f"host_{kind}_{stubs}_{optimization}"
        result = run("env", f"KBUILD_TRACE={trace}", program)
        assert result.stdout == "0 5, 0 6, 0, 98\n"
        assert trace.is_file() == (stubs == "ON")

    events = [event for event in json.loads(trace.read_text()) if "args" in event]
    launches = [event for event in events if event["name"].startswith(("work", "nothing"))]
    assert len(launches) == 3
    assert launches[1]["args"]["arguments"]["value"] == 6


def test_other_languages_call_the_linked_function(programs: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    script = f"""
import ctypes
library = ctypes.CDLL({str(programs / "libSHARED_ON.so")!r})
config = (ctypes.c_uint32 * 24)(1, 1, 1, 1, 1, 1)
value, unused, to = ctypes.c_int(3), ctypes.c_void_p(1), ctypes.c_int(0)
address = ctypes.c_void_p(ctypes.addressof(to))
args = (ctypes.c_void_p * 3)(*map(ctypes.addressof, (value, unused, address)))
kernel = ctypes.c_void_p(ctypes.addressof(ctypes.c_void_p.in_dll(library, "work")))
print(library.kbuild_launch(kernel, config, args), to.value)
"""
    result = run("env", f"KBUILD_TRACE={trace}", sys.executable, "-c", script)

    assert result.stdout == "0 3\n", result.stderr
    assert '"work' in trace.read_text()
