from pathlib import Path

import pytest

from kbuild.backends.cpu.mixed.parts import PARTS, list_part_options, select_parts
from kbuild.backends.interface.build import CompileUnit


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("__global__ void k(float* __restrict__ x) { x[threadIdx.x] = 2; __syncthreads(); }", ""),
        ('printf("%d\\n", max(blockDim.x, 2u)); p = new int[2]; cudaMalloc(&p, 4);', ""),
        ("std::swap(a, b);", "LIBRARY"),
        ("std::size_t n = std::strlen(p); ::std::printf(p, std::uint32_t(n));", ""),
        ("int n = std::abs(-1);", "LIBRARY MATH"),
        ("std::exit(0); std::div(1, 2);", "LIBRARY"),
        ("std::printf_all();", "LIBRARY"),
        ("std ::printf(p);", "LIBRARY"),
        ("#define LIBRARY std\nLIBRARY::printf(p);", "LIBRARY"),
        ("using namespace std;", "LIBRARY"),
        ("new (p) T();", "LIBRARY"),
        ("for (int t : {1, 2}) x += t;", "LIBRARY"),
        ("auto list = {1, 2};", "LIBRARY"),
        ("switch (x) { case 1: { x = 2; } } for (int i : list) { x += i; }", ""),
        ("#ifdef __cpp_lib_span", "LIBRARY INTRINSICS MATH"),
        ("y = sqrtf(x) * M_PI;", "MATH"),
        ("y = __sinf(x);", "INTRINSICS MATH"),
        ("cudaGridDependencySynchronize();", "INTRINSICS"),
        ("x += __shfl_xor_sync(~0u, x, 1);", "WARP"),
        ("x += __shfl_xor(x, 1);", "INTRINSICS MATH"),
        ("atomicAdd_block(p, __ldg(q));", "ATOMICS"),
        ("y = tex2D<float>(t, 1, 2);", "TEXTURES"),
        ("void f(cudaSurfaceObject_t s);", "TEXTURES API"),
        ("cudaMallocAsync(&p, 4, 0);", "API"),
        ("cudaGraphLaunch(graph, 0);", "API INTRINSICS"),
        # Any name is possible.
        ("#define CALL(name) name##f", " ".join(PARTS)),
        ('asm("popc.b32 %0, %1;" : "=r"(n) : "r"(x));', " ".join(PARTS)),
        ("#include <hip/hip_runtime.h>", " ".join(PARTS)),
        ("#include_next <a.h>", " ".join(PARTS)),
    ],
)
def test_names_select_parts(text: str, parts: str) -> None:
    assert select_parts(text) == set(parts.split())


def list_absent(
    directory: Path, text: str, *options: str, definitions: tuple[str, ...] = ()
) -> int:
    """Return how many parts a source leaves out, with an include directory next to it."""
    source = directory / "a.cu"
    source.write_text(text)
    (directory / "include").mkdir(exist_ok=True)
    unit = CompileUnit(
        source=source,
        display_source="a.cu",
        arch="x86-64",
        output=directory / "a",
        stamp=directory / "a.json",
        depfile=directory / "a.d",
        include_directories=(str(directory / "include"),),
        definitions=definitions,
    )
    return len(list(list_part_options(unit, options)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#include <cuda_runtime.h>\n#include <vector>\n#include <sys/time.h>\n#include <stdio.h>",
        "#include <cooperative_groups.h>\n#include <kbuild/kernel.h>",
        '#include "a.h"\n',
        "  #  include <b.h>\n",
    ],
)
def test_known_headers_select_no_parts(text: str, tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "a.h").write_text("#pragma once\n#include <b.h>\n")
    (tmp_path / "include" / "b.h").write_text('#include "../a.h"\n')
    assert list_absent(tmp_path, text, "-O2", "-std=c++17") == len(PARTS)


def test_headers_of_the_project_select_parts(tmp_path: Path) -> None:
    (tmp_path / "include").mkdir()
    (tmp_path / "a.h").write_text("#include <b.h>\nint a = __popc(1);")
    (tmp_path / "include" / "b.h").write_text("int b = std::max(1, 2);")
    assert list_absent(tmp_path, "#include <b.h>") == len(PARTS) - 1
    assert list_absent(tmp_path, '#include "a.h"') == len(PARTS) - 3


def test_macros_of_the_target_select_parts(tmp_path: Path) -> None:
    assert list_absent(tmp_path, "", definitions=("ROOT=sqrtf",)) == len(PARTS) - 1
    assert list_absent(tmp_path, "", "-DROOT=sqrtf") == len(PARTS) - 1


@pytest.mark.parametrize(
    "text",
    [
        "#include <cub/cub.cuh>",
        '#include "none.h"',
        "#include NAME",
        "/* a */ # /* b */ include /* c */ <none.h>",
        "%:include <none.h>",
        "#\\\n  include <none.h>",
    ],
)
def test_unknown_headers_select_all_parts(text: str, tmp_path: Path) -> None:
    assert list_absent(tmp_path, text) == 0


@pytest.mark.parametrize("option", ["-include", "-isystem/usr/x", "@file", "-nostdinc"])
def test_options_for_headers_select_all_parts(option: str, tmp_path: Path) -> None:
    assert list_absent(tmp_path, "", option) == 0


def test_a_source_that_cannot_be_read_uses_all_parts(tmp_path: Path) -> None:
    (tmp_path / "a.h").symlink_to("a.h")
    assert list_absent(tmp_path, '#include "a.h"') == 0
