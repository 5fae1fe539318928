"""Tests for the decision which kernels get a plain loop."""

from __future__ import annotations

import pytest
from kbuild.backends.cpu.mixed.plain_loops import find_thread_uses

from kbuild import resources
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.annotations import find_thread_words
from kbuild.cxx.unit import Unit

KERNEL = "__kbuild_global__ void k(int n, int* p) {{ int i = threadIdx.x; {} }}\n"
SAFE = KERNEL.format("if (i < n) p[i] = other(i);")
OTHER = "inline int other(int i) { return 2 * i; }\n"
# Annotated names, as in preprocessed device headers.
NEEDS = {
    "needs_block": (
        "__syncthreads()",
        "__syncthreads_count(int)",
        "__shfl_down_sync(int)",
        "SHFL_UP_SYNC(int)",
    ),
    "needs_thread": ("atomicAdd(int)", "__nv_atomic_fetch_add(int)", "__ldcv(int)", "__trap()"),
    "call_needs_block": ("this_thread()",),
    "call_needs_thread": ("clock()",),
    "kernel_needs_thread": ("cudaGetLastError()", "cudaPeekAtLastError()"),
}
LINE = f'# 7 "{resources.native_directory()}/device/cpu/a.h" 3\n'
HEADER = (
    LINE
    + "".join(
        f"inline int __kbuild_{need}__\n{LINE} {name};\n" for need in NEEDS for name in NEEDS[need]
    )
    + (
        "using ::__kbuild_needs_thread__ __assert_fail;"
        "int __kbuild_needs_thread__ __nanosleep(int);\n"
        "int __kbuild_needs_block__ this_thread_block(); int __kbuild_needs_block__ this_grid();\n"
        "int __kbuild_needs_block__ tiled_partition(int);\n"
        "template <int N> class __kbuild_call_needs_block__ barrier {};\n"
        "template <class T> class __kbuild_call_needs_thread__ atomic_ref {};\n"
        "class __kbuild_call_needs_block__ thread_block { int i = threadIdx.x; };\n"
    )
)
GID = "int gid() { return blockIdx.x * blockDim.x + threadIdx.x; }\n"


def list_plain(text: str) -> list[str]:
    text = f'{HEADER}# 1 "a.cu"\n{text}'
    code = Unit(text)
    declarations = q.find_declarations(code)
    kernels = tuple(
        found for found in declarations if q.GLOBAL in found.words and found.body is not None
    )
    found = find_thread_uses(code, kernels, declarations, find_thread_words(code), frozenset())
    words = {} if found is None else found.words
    return [kernel.name for kernel in kernels if words.get(kernel.start) == ()]


@pytest.mark.parametrize(
    "body",
    [
        "if (i < n) p[i] = other(i);",
        "auto f = [&](int j) { p[j] = threadIdx.x; }; f(i);",
        "auto f = [=] { return threadIdx.y; }; p[0] = f();",
        "p[0] = s.threadIdx.x + sizeof(threadIdx.x); other(threadIdx.x);",
        'printf("__syncthreads %d", i);  // __syncthreads();\n',
        "int clock = 1, this_thread = 2; p[i] = clock + this_thread;",
        "for (int j : array[0]) { p[j] = threadIdx.x; } if (a[i]) { p[1] = threadIdx.x; }",
        "p[0] = __mul24(i, 3) + __popc(i);",
    ],
)
def test_kernel_has_a_plain_loop(body: str) -> None:
    body = body.replace("// __syncthreads();\n", "")

    assert list_plain(OTHER + GID + KERNEL.format(body)) == ["k"]


@pytest.mark.parametrize(
    "body",
    [
        "__syncthreads_count(i);",  # begins with another name
        "__syncthreads();",
        "p[i] = __shfl_down_sync(~0u, i, 1);",
        "p[i] = this_thread().size();",
        "p[i] = thread_block::thread_rank();",
        "p[i] = clock();",
        "p[i] = cub::SHFL_UP_SYNC(1, 2, 3, 4);",
        "atomicAdd(p, 1);",
        "__nv_atomic_fetch_add(p, 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);",
        "while (__ldcv(p) == 0) {}",
        "atomic_ref<int> r(*p); r.wait(0);",
        "__nanosleep(100);",
        '(i < n) ? void(0) : __assert_fail("i < n", "a.cu", 1, "k");',
        "auto g = cooperative_groups::this_thread_block();",
        "cuda::barrier<cuda::thread_scope_block> b;",
        "auto t = ::tiled_partition<32>(g);",
        # Functions that read the index, at any depth, and under any kind of call.
        "p[gid()] = 1;",
        "p[ns::outer(1)] = 1;",
        "p[object.row()] = 1;",
        # The runtime stores the errors of each thread.
        "k<<<1, 1>>>(n, p); p[0] = cudaGetLastError();",
        "p[0] = failed();",
        'asm("mov.u32 %0, %%" "laneid" ";" : "=r"(p[0]));',
        "p[pointer->row()] = 1;",
        "p[templated<int, 4>(1)] = 1;",
        # A constant of the kernel cannot hide the variable here.
        "auto f = [] { return threadIdx.x; }; p[0] = f();",
        "auto f = [p] { p[0] = threadIdx.x; }; f();",
        "auto f = [&p] { p[0] = threadIdx.x; }; f();",
        "auto f = [=] { return [] { return threadIdx.x; }(); }; p[0] = f();",
        "struct Local { int get() { return threadIdx.x; } }; p[0] = Local().get();",
        "p[0] = ::threadIdx.x;",
        "uint3 threadIdx = {}; p[0] = 1;",
    ],
)
def test_kernel_is_suspendable(body: str) -> None:
    functions = (
        "namespace ns { int inner(int i) { return gid() + i; } int outer(int i)\n"
        "{ return ns::inner(i); } }\n"
        "struct Tile { int row() const { return threadIdx.y; } virtual void f() {} };\n"
        "template <class T, int N> __kbuild_device__ T templated(T i) { return i + gid(); }\n"
        "__kbuild_host__ __kbuild_device__ bool failed() { return cudaPeekAtLastError(); }\n"
    )
    other = "__kbuild_global__ void j(int* p) { p[threadIdx.x] = 1; }\n"

    assert list_plain(GID + functions + KERNEL.format(body) + other) == ["j"]


@pytest.mark.parametrize(
    "evil",
    [
        # Calls that do not mention a name.
        "struct S { int operator()(int i) { return threadIdx.x + i; } };",
        "struct S { operator int() { return threadIdx.x; } };",
        "struct S { S() { x = threadIdx.x; } int x; };",
        "struct S { S() : x(threadIdx.x) {} int x; };",
        "struct S { S(int); int x; }; S::S(int) { x = gid(); }",
        "template <class T> struct S { S(int); }; template <class T> S<T>::S(int) { gid(); }",
        "struct S { ~S() { __syncthreads(); } };",
        "struct S { int x = threadIdx.x; };",
        "struct S { int x{gid()}; };",
        "int operator+(S, S) { return gid(); }",
        'int operator""_t(unsigned long long) { return threadIdx.x; }',
        "int f(int i = threadIdx.x);",
        "int f(int i = gid());",
        "auto lambda = [] { return threadIdx.x; };",
        "void run() { launch([] { __syncthreads(); }); }",
        "void run() { launch([=](int i) mutable -> int { return gid(); }); }",
        "void run() { struct L { int f() { return gid(); } }; launch(L()); }",
        # The function gets to other places.
        "int (*pointer)() = gid;",
        "int (*pointer)() = &gid;",
        "void run() { table[0] = gid; }",
        "void run() { table[0] = &templated<1>; } template <int> int templated() { return gid(); }",
        "void run() { launch<gid>(); }",
        "void run() { kernel<<<1, 1>>>(gid); }",
        "constexpr auto alias = __syncthreads;",
        # The names of variables end with their scopes.
        "void f(int gid); auto pointer = gid;",
        "struct S { int gid; }; auto pointer = gid;",
        "int f(int gid) { return gid; } void run() { table[0] = gid; }",
        "void run() { { int gid = 1; } table[0] = gid; }",
        "void run() { for (int gid = 0; gid < 3;) f(gid); table[0] = gid; }",
        "void run() { for (int gid = 0; gid < 3;) { f(gid); } table[0] = gid; }",
        "void run() { [](int gid) { return gid; }(1); table[0] = gid; }",
        "auto run() { return gid; }",
        "void run() { x = a * gid, b; }",
        "void run(int gid) { table[0] = ::gid; }",
        "void run() { F<void(int gid)> f = gid; }",
        "using namespace cuda; int f(cuda::barrier<1>& b);",
        "extern const uint3& index = threadIdx;",
        "typedef cuda::barrier<1> Barrier;",
    ],
)
def test_doubt_about_one_place_concerns_all_kernels(evil: str) -> None:
    assert list_plain(OTHER + GID + SAFE) == ["k"]
    assert list_plain(OTHER + GID + f"{evil}\n" + SAFE) == []


@pytest.mark.parametrize(
    "harmless",
    [
        "int gid(); extern int row(); template <int N> int __shfl_mine();",
        "struct S { int gid() const; friend int gid(); };\nint S::gid() const { return 1; }",
        "namespace cg = cooperative_groups; using namespace cooperative_groups;",
        "using cooperative_groups::this_thread_block; using Barrier = cuda::barrier<1>;",
        "void f(int* p) { atomicAdd(p, 1); } int g(int i) { return i ? gid() : f(p), 1; }",
        "struct [[nodiscard]] S { [[nodiscard]] int get() const { return gid(); } };",
        "struct S { S() { if (cudaGetLastError()) throw 1; } };",
        "int f(int gid) { return gid + 1; } void g(float* gid, int n = 0); int h(const T& gid);",
        "struct S { int get() { return gid; } int* gid; };",
        "struct S { S(int gid) : x(gid) { use(gid); } int x; };",
        "void f() { auto gid = 3; use(gid); for (unsigned i = gid;;) { s.gid = p->gid; } }",
        "void f() { for (int gid = 0; gid < 3; ++gid) { use(gid); } }",
        "void f() { use([](int gid) { use(gid); }); }",
    ],
)
def test_other_functions_do_not_matter(harmless: str) -> None:
    assert list_plain(OTHER + GID + f"{harmless}\n" + SAFE) == ["k"]


@pytest.mark.parametrize(
    ("alias", "body"),
    [
        ("namespace cg = cooperative_groups;", "auto g = cg::this_grid();"),
        ("using Barrier = cuda::barrier<1>;", "Barrier b; b.wait();"),
        ("using cuda::barrier;", "barrier<1> b; b.wait();"),
        ("namespace a = cuda::x; namespace b = a::y;", "b::barrier<1> c;"),
    ],
)
def test_aliases_are_followed(alias: str, body: str) -> None:
    assert list_plain(f"{alias}\n" + SAFE + KERNEL.format(body).replace(" k(", " l(")) == ["k"]
