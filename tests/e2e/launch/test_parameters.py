"""Kernels receive the values that hosts pass, for all parameter types and compilers."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import kbuild
from kbuild.errors import SourceError
from kbuild.runtime.loading.loaded_library import LoadedLibrary
from kbuild.stages.target import DeviceFlags
from support.files.random_types import Random
from support.tools.toolchains import require_programs

BuildKernelLibrary = Callable[..., Path]

COMPILERS = (
    "g++",
    *(pytest.param(name, marks=pytest.mark.slow) for name in ("clang++-14", "clang++-19")),
)
# kbuild rejects records that compilers pass in different ways. They are rare.
MOST_REFUSED = 0.15


@pytest.fixture(scope="module", params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    require_programs(name)
    return name


def build_random(
    build: BuildKernelLibrary, compiler: str, made: Random, options: tuple[str, ...]
) -> tuple[LoadedLibrary, set[str]]:
    """Return the library of all accepted kernels, and the names of the rejected records."""
    refused: set[str] = set()
    while True:
        found = build_or_refuse(build, compiler, made.source(refused), options)
        if isinstance(found, Path):
            return kbuild.load(found), refused
        match = re.search(r"kernel 'k\d+' takes '(R\d+)' by value, which ", found)
        assert match, found
        refused.add(match.group(1))
        assert len(refused) <= max(1, MOST_REFUSED * len(made.records)), found


def build_or_refuse(
    build: BuildKernelLibrary, compiler: str, source: str, options: tuple[str, ...] = ()
) -> Path | str:
    flags = DeviceFlags(options=(*options, "-w", "-Wno-psabi"))
    try:
        return build(
            {"kernels.cu": source},
            # The default architectures pass vectors in different ways.
            architectures=(),
            host_compiler=compiler,
            device_standard=20,
            flags=flags,
        )
    except SourceError as error:
        return str(error)


def check_random(module: LoadedLibrary, made: Random, refused: set[str]) -> None:
    generator = np.random.default_rng(made.seed)
    lines = made.source(refused).splitlines()
    for index, (name, _) in enumerate(made.records):
        if name in refused:
            continue
        kernel = module[f"k{index}"]
        size = kernel.params[1].size
        first, second = (generator.integers(0, 256, size, np.uint8) for _ in range(2))
        bad = np.zeros(1, np.uint64)
        # The code loads vectors with aligned instructions.
        places = np.zeros(2 * size + 512, np.uint8)
        start = -places.ctypes.data % 64
        step = -(-size // 64) * 64
        places[start : start + size] = first
        places[start + step : start + step + size] = second
        address = places.ctypes.data + start
        kernel.launch(
            grid=1,
            block=1,
            args=[
                *(11, first.tobytes(), 2.5, second.tobytes()),
                *(address, address + step, bad, 7.25),
            ],
        )
        where = lines[int(bad[0]) - 1] if bad[0] > 7 else bad[0]
        assert bad[0] == 0, (made.seed, made.definitions[index], where)


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_random_records_are_passed_correctly(
    build_kernel_library: BuildKernelLibrary, compiler: str, seed: int
) -> None:
    made = Random(seed)
    for _ in range(40):
        made.add_record()
    options = ("-O2",) if seed % 2 else ("-O0",)
    module, refused = build_random(build_kernel_library, compiler, made, options)
    check_random(module, made, refused)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 120))
def test_many_random_records_are_passed_correctly(
    build_kernel_library: BuildKernelLibrary, compiler: str, seed: int
) -> None:
    made = Random(seed)
    for _ in range(120):
        made.add_record()
    options = (("-O0",), ("-O2",), ("-O3", "-gdwarf-4"))[seed % 3]
    module, refused = build_random(build_kernel_library, compiler, made, options)
    check_random(module, made, refused)


STRANGE = """
struct alignas(16) Lone { float x; };
struct Members { char a; alignas(8) char b; alignas(8) char c; };
struct Base {};
struct Derived : Base { float x; int y; };
class Tail { public: int x; char c; Tail() = default; private: char own; };
struct Reuse : Tail { char d; };
struct Inside { [[no_unique_address]] Base b; double d; };
struct __attribute__((packed)) Packed { char c; int i; };
struct Zero { int a : 5; int : 0; int b : 7; };
struct Defaulted {
    Defaulted() = default;
    Defaulted(const Defaulted &) = default;
    ~Defaulted() = default;
    int x;
};
template <class T> struct Templated {
    Templated() = default;
    template <class U> Templated(const Templated<U> &);
    Templated(const Templated &) = default;
    T x;
};
struct Ctor { Ctor(int); int x; double y; };
enum class Byte : unsigned char { high = 200 };
enum Plain : short { low = -3 };
typedef float v4 __attribute__((vector_size(16)));
struct Vector { v4 v; };

extern "C" __global__ void records(Lone l, Members m, Derived d, Reuse r, Inside i, Packed p,
                                   Zero z, Defaulted f, Templated<float> t, Ctor c, double *out)
{
    double seen[] = {l.x, (double)m.a, (double)m.b, (double)m.c, d.x, (double)d.y, (double)r.x,
                     (double)r.c, (double)r.d, i.d, (double)p.c, (double)p.i, (double)z.a,
                     (double)z.b, (double)f.x, t.x, (double)c.x, c.y};
    for (double value : seen) *out++ = value;
}
extern "C" __global__ void enums(Byte b, Plain p, long *out)
{
    out[0] = (long)b;
    out[1] = (long)p;
}
extern "C" __global__ void vectors(v4 v, Vector w, float *out)
{
    for (int i = 0; i < 4; ++i) out[i] = v[i] * w.v[i];
}
template <class T> __device__ double number(T value) { return (double)value; }
__device__ inline double number(Derived value) { return value.x + value.y; }
template <class... T> __global__ void pack(double *out, T... values)
{
    ((*out++ = number(values)), ...);
}
template __global__ void pack<int, float, Derived, long>(double *, int, float, Derived, long);
"""


@pytest.mark.parametrize(
    "options",
    [pytest.param(("-O0",), marks=pytest.mark.slow, id="-O0"), ("-O3",), ("-O1", "-gdwarf-4")],
)
def test_unusual_parameters_are_passed_correctly(
    build_kernel_library: BuildKernelLibrary, compiler: str, options: tuple[str, ...]
) -> None:
    library = build_or_refuse(build_kernel_library, compiler, STRANGE, options)
    assert isinstance(library, Path), library
    module = kbuild.load(library)
    out = np.zeros(18)
    module["records"].launch(
        grid=1,
        block=1,
        args=[
            struct.pack("<f12x", 1.5),
            struct.pack("<b7xb7xb7x", 2, 3, 4),
            struct.pack("<fi", 5.5, 6),
            struct.pack("<ibBbx", 7, 8, 0, 9)
            if module["records"].params[3].size == 8
            else struct.pack("<ibBxbxxx", 7, 8, 0, 9),
            struct.pack("<d", 10.5),
            struct.pack("<bi", 11, 12),
            struct.pack("<ii", 13, 14),
            struct.pack("<i", 15),
            struct.pack("<f", 16.5),
            struct.pack("<i4xd", 17, 18.5),
            out,
        ],
    )
    expected = [1.5, 2, 3, 4, 5.5, 6, 7, 8, 9, 10.5, 11, 12, 13, 14, 15, 16.5, 17, 18.5]
    np.testing.assert_array_equal(out, expected)
    enums = np.zeros(2, np.int64)
    module["enums"].launch(grid=1, block=1, args=[np.uint8(200), np.int16(-3), enums])
    np.testing.assert_array_equal(enums, [200, -3])
    product = np.zeros(4, np.float32)
    four = np.array([1, 2, 3, 4], np.float32)
    module["vectors"].launch(grid=1, block=1, args=[four.tobytes(), (four + 1).tobytes(), product])
    np.testing.assert_array_equal(product, four * (four + 1))
    packed = np.zeros(4)
    (name,) = (name for name in module if "pack" in name)
    module[name].launch(grid=1, block=1, args=[packed, 3, 2.5, struct.pack("<fi", 0.5, 4), -7])
    np.testing.assert_array_equal(packed, [3, 2.5, 4.5, -7])


OWNERS = """
struct Copied { __device__ Copied(const Copied &o) : x(o.x) {} int x; };
struct Ended { __device__ ~Ended() {} float x; };
struct Moved
{
    __device__ Moved(const Moved &) = default;
    __device__ Moved(Moved &&o) : x(o.x) {}
    char x;
};
struct Holder { char c; Copied inner[2]; };
struct Sub : Ended { short s; };
struct alignas(32) Wide { __device__ Wide(const Wide &o) : x(o.x) {} double x; };
extern "C" __global__ void owners(char a, Copied b, Ended c, Moved d, Holder e, Sub f, Wide g,
                                  double *out)
{
    const bool is_aligned = (unsigned long)&g % 32 == 0;
    double seen[] = {(double)a, (double)b.x++, c.x, (double)d.x, (double)e.c, (double)e.inner[1].x,
                     f.x, (double)f.s, g.x, (double)is_aligned};
    for (int i = 0; i < 10; ++i) out[10 * threadIdx.x + i] = seen[i];
}
"""


def test_kernels_get_bytes_of_objects_that_functions_copy(
    build_kernel_library: BuildKernelLibrary, compiler: str
) -> None:
    library = build_or_refuse(build_kernel_library, compiler, OWNERS)
    assert isinstance(library, Path), library
    out = np.zeros((2, 10))
    arguments = [
        1,
        struct.pack("<i", 2),
        struct.pack("<f", 3.5),
        struct.pack("<b", 4),
        struct.pack("<b3xii", 5, 0, 6),
        struct.pack("<fh2x", 7.5, 8),
        struct.pack("<d24x", 9.5),
        out,
    ]
    kbuild.load(library)["owners"].launch(grid=1, block=2, args=arguments)
    np.testing.assert_array_equal(out, [[1, 2, 3.5, 4, 5, 6, 7.5, 8, 9.5, 1]] * 2)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("__global__ int k() { return 1; }", "kernel 'k()' returns 'int'; return void"),
        ("__global__ void k(int n, ...) {}", "takes a variable number of arguments"),
        ("__global__ void k(int &&n) {}", "takes an rvalue reference, 'int&&'"),
        (
            "struct V { virtual void f(); int x; };\n__global__ void k(V v) {}",
            "kernel 'k(V)' takes 'V' by value, which has virtual functions or bases; pass a",
        ),
        (
            "struct F { int n; int data[]; };\n__global__ void k(F f) {}",
            "takes 'F' by value, which contains an array without elements",
        ),
        (
            "struct U { int : 32; float f; };\n__global__ void k(U u) {}",
            "takes 'U' by value, which has unnamed bit-fields",
        ),
        (
            "typedef char v4 __attribute__((vector_size(4)));\n__global__ void k(v4 v) {}",
            "which this kbuild cannot pass by value",
        ),
    ],
    ids=lambda text: text[:40] if isinstance(text, str) else None,
)
def test_unsupported_parameter_is_rejected(
    build_kernel_library: BuildKernelLibrary, compiler: str, source: str, expected: str
) -> None:
    found = build_or_refuse(build_kernel_library, compiler, source)
    assert isinstance(found, str)
    assert re.match(r"(?:/.*/)?kernels\.cu:[12](?::\d+)?: kernel 'k", found)
    assert expected in found


SHARED = """
struct Plain { int x; float y; };
template <class T> struct Pair { T a, b; };
extern "C" __global__ void classes(float *out)
{
    __shared__ float4 vectors[8];
    __shared__ Plain plain;
    __shared__ struct { int x; } unnamed;
    __shared__ union { int i; float f; } either;
    __shared__ Pair<double> pair;
    extern __shared__ float4 dynamic[];
    vectors[threadIdx.x].x = threadIdx.x;
    dynamic[threadIdx.x].w = 2;
    plain.x = 1; unnamed.x = 2; either.i = 3; pair.b = 4;
    __syncthreads();
    out[threadIdx.x] = vectors[7 - threadIdx.x].x + dynamic[7 - threadIdx.x].w + plain.x +
                       unnamed.x + either.i + (float)pair.b;
}
extern __shared__ int as_int[];
extern "C" __global__ void punned(int *out)
{
    float *as_float = reinterpret_cast<float *>(as_int);
    as_int[threadIdx.x] = 1;
    as_float[threadIdx.x] = 2.0f;
    *out = as_int[threadIdx.x];
}
extern "C" __global__ void first(int *out) { *out = 5; }
extern "C" __global__ void second(int *out) { *out = 5; }
"""


@pytest.mark.parametrize(
    "options", [pytest.param(("-O0",), marks=pytest.mark.slow), ("-O3",)], ids=" ".join
)
def test_shared_memory_holds_any_type(
    build_kernel_library: BuildKernelLibrary, compiler: str, options: tuple[str, ...]
) -> None:
    library = build_or_refuse(build_kernel_library, compiler, SHARED, options)
    assert isinstance(library, Path), library
    module = kbuild.load(library)
    out = np.zeros(8, np.float32)
    module["classes"].launch(grid=1, block=8, args=[out], shared_bytes=128)
    np.testing.assert_array_equal(out, np.arange(8)[::-1] + 12)
    bits = np.zeros(1, np.int32)
    module["punned"].launch(grid=1, block=1, args=[bits], shared_bytes=4)
    assert bits.view(np.float32)[0] == 2
    for name in ("first", "second"):  # which gcc would fold into one
        bits[0] = 0
        module[name].launch(grid=1, block=1, args=[bits])
        assert bits[0] == 5


@pytest.mark.parametrize("where", ["namespace", "function"])
def test_shared_variables_with_constructors_are_rejected(
    build_kernel_library: BuildKernelLibrary, where: str
) -> None:
    require_programs("clang++")  # g++ rejects such variables itself
    variable = "__shared__ Made made;"
    outside, inside = (variable, "") if where == "namespace" else ("", variable)
    source = (
        "struct Made { Made(); int x; };\n__device__ Made::Made() : x(threadIdx.x) {}\n"
        f"{outside}\n__global__ void k(int *p) {{ {inside} *p = made.x; }}\n"
    )
    found = build_or_refuse(build_kernel_library, "clang++", source)
    assert isinstance(found, str)
    assert "has a constructor, destructor, or initializer, but" in found
