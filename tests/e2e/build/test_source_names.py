"""Tests for parameter names, which come from preprocessed sources."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import write_plan
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec
from support.tools.small_headers import SMALL_DEVICE_HEADERS
from support.tools.toolchains import require_backend

ARCHITECTURES = {"cuda": ("80", "90-virtual"), "hip": ("gfx90a", "gfx1030")}
HEADER = """
#pragma once
struct Step { float size; };
extern "C" __global__ void stepped(const Step* steps, unsigned count);
#define INSTANTIATE(T) template __global__ void templated<T>(T*, int);
#define KERNEL_OF(T) __global__ void LIMIT scale_##T(T* values, \\
                                                     const T factor) { values[0] *= factor; }
#define LIMIT __launch_bounds__(128)
template <class T> __global__ void templated(T* out, int count) { out[count] = T(); }
"""
SOURCE = r"""
#include "kernels.hpp"
// __global__ void stepped(const Step* no, unsigned names);
namespace a { namespace b {
NOTHING(of, "this)")
INSTANTIATE_HERE
KERNEL_OF(float)
KERNEL_OF(int)
#if defined(WIDE)
__global__ void branched(double* wide) { *wide = 1; }
#else
__global__ void branched(float* narrow, int count) { *narrow = count; }
#endif
__global__ void within(float* x,
#ifdef WIDE
    long long steps,
#else
    int steps,
#endif
    int last) { x[steps] = last; }
}}
__global__ LIMIT void conti\
nued(float* data, /* int no, */ \
     int size) { data[0] = size; }
__device__ const char* text() { return R"x({{{ __global__ void raw(int no) )" )x"; }
INSTANTIATE(float)
__global__ void raw(char* out [[maybe_unused]]) { out[0] = text()[1'0]; }
extern "C" {
__global__ void stepped(const Step* steps, unsigned count) { }
#ifdef WIDE
__global__ void plain(double value, Step* where) { where->size = value; }
#else
__global__ void plain(float value, Step* where) { where->size = value; }
#endif
}
__global__ void apart(int
#if defined(__gfx90a__) || __CUDA_ARCH__ == 800
    one
#else
    other
#endif
) { }
"""


def build(
    directory: Path, backend: str, flags: DeviceFlags
) -> dict[str, list[tuple[str | None, str | None]]]:
    """Build, and return (type, name) of each parameter by the kernel's demangled name."""
    require_backend(backend)
    source = directory / "kernels.cu"
    source.write_text(SOURCE)
    (directory / "kernels.hpp").write_text(HEADER)
    plan = plan_target(
        TargetSpec(
            name="t",
            kind="static",
            backend=backend,
            sources=(source,),
            headers=(directory / "kernels.hpp",),
            debug_stubs="ON",  # because stubs need all types
            stub_suffix=".cpp",
            architectures=ARCHITECTURES[backend],
            source_root=directory,
            output_directory=directory / "out",
        )
    )
    write_plan(plan)
    for edge in plan.edges:
        compile_edge(edge, flags)
    kernels = pack_target(plan.pack).table.kernels
    assert not list((directory / "out").glob("*.keep"))
    return {row.display: [(p.type, p.name) for p in row.params] for row in kernels}


# By default, each backend and each version of the source occur once.
@pytest.mark.parametrize(
    ("backend", "is_wide"),
    [
        ("cuda", True),
        ("hip", False),
        pytest.param("cuda", False, marks=pytest.mark.slow),
        pytest.param("hip", True, marks=pytest.mark.slow),
    ],
)
def test_parameter_names_are_those_of_the_compiled_code(
    backend: str, is_wide: bool, tmp_path: Path
) -> None:
    definitions = ("NOTHING(...)=", "INSTANTIATE_HERE=", *(("WIDE=1",) if is_wide else ()))
    flags = DeviceFlags(definitions=definitions, options=SMALL_DEVICE_HEADERS[backend])
    found = build(tmp_path, backend, flags)

    if is_wide:
        varying = {
            "a::b::branched(double*)": [("double*", "wide")],
            "a::b::within(float*, long long, int)": [
                ("float*", "x"),
                ("long long", "steps"),
                ("int", "last"),
            ],
            "plain": [("double", "value"), ("Step*", "where")],
        }
    else:
        varying = {
            "a::b::branched(float*, int)": [("float*", "narrow"), ("int", "count")],
            "a::b::within(float*, int, int)": [("float*", "x"), ("int", "steps"), ("int", "last")],
            "plain": [("float", "value"), ("Step*", "where")],
        }
    assert found == {
        **varying,
        "a::b::scale_float(float*, float)": [("float*", "values"), ("float", "factor")],
        "a::b::scale_int(int*, int)": [("int*", "values"), ("int", "factor")],
        "continued(float*, int)": [("float*", "data"), ("int", "size")],
        "void templated<float>(float*, int)": [("float*", "out"), ("int", "count")],
        "raw(char*)": [("char*", "out")],
        "stepped": [("const Step*", "steps"), ("unsigned", "count")],
        "apart(int)": [("int", None)],
    }
