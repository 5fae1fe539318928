"""The library with the C names of the host API, for programs that declare them themselves."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kbuild import resources
from support.commands import run, succeed
from support.tools.toolchains import require_programs

LIBRARY = resources.find_runtime("libkbuild_cudart.a")
HEADERS = resources.native_directory() / "device" / "cpu" / "kbuild_cpu" / "host"
# Their functions are templates or overloads, or CUDA 13 does not have them.
OTHER_HEADERS = ("channels.h", "templates.h", "removed.h", "older.h", "texture_references.h")
PROGRAM = """
#include <stddef.h>
#include <stdio.h>
int cudaSetDevice(int);
int cudaMalloc(void **, size_t);
int cudaMemcpy(void *, const void *, size_t, int);
int cudaFree(void *);
const char *cudaGetErrorString(int);
int main(void)
{
    int from = 7, to = 0;
    void *device = NULL;
    int error = cudaSetDevice(0) | cudaMalloc(&device, sizeof from) |
                cudaMemcpy(device, &from, sizeof from, 1) |
                cudaMemcpy(&to, device, sizeof to, 2) | cudaFree(device);
    printf("%d %d %s\\n", error, to, cudaGetErrorString(cudaSetDevice(99)));
    return 0;
}
"""


def list_declared() -> set[str]:
    """Return the C functions that the headers of the host API declare."""
    paths = (*HEADERS.rglob("*.h"), HEADERS.parent.parent / "cuda_profiler_api.h")
    texts = [path.read_text() for path in paths if path.name not in OTHER_HEADERS]
    pattern = (
        r"KBUILD_API\((\w+)\)|KBUILD_HOST_API [^;{]*?KBUILD_VENDOR\((\w+)\)\("
        r"|KBUILD_PROFILER_API cudaError_t cuda(\w+)"
    )
    return {"cuda" + "".join(names) for text in texts for names in re.findall(pattern, text)}


def test_library_defines_every_c_function() -> None:
    lines = succeed(run("readelf", "-sW", LIBRARY)).splitlines()
    rows = [line.split() for line in lines if " FUNC " in line and " UND " not in line]

    defined = {row[-1]: (row[4], row[5]) for row in rows if "cuda" in row[-1]}
    assert set(defined) == list_declared()
    assert len(defined) > 200
    assert set(defined.values()) == {("GLOBAL", "HIDDEN")}


@pytest.mark.parametrize("compiler", ["gcc", pytest.param("clang", marks=pytest.mark.slow)])
@pytest.mark.parametrize("linkage", ["shared", "static"])
def test_program_that_declares_functions_itself(
    tmp_path: Path, compiler: str, linkage: str
) -> None:
    require_programs(compiler)
    source, program = tmp_path / "program.c", tmp_path / "program"
    source.write_text(PROGRAM)
    shared = resources.find_runtime("libkbuild_cpu.so.1")
    libraries: tuple[object, ...] = (shared, f"-Wl,-rpath,{shared.parent}")
    if linkage == "static":
        libraries = (shared.with_name("libkbuild_cpu.a"), "-lstdc++", "-lm", "-pthread", "-ldl")

    strict = ("-std=c11", "-Wall", "-Wextra", "-Werror")
    succeed(run(compiler, *strict, source, LIBRARY, *libraries, "-o", program))

    assert succeed(run(program)) == "0 7 invalid device ordinal\n"
    exported = succeed(run("nm", "--dynamic", "--defined-only", program))
    assert "cuda" not in exported
