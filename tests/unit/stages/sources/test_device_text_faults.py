"""Edits that a device key can get wrong.

Each case is an edit. nvcc 13 compiles other device code after all edits of `STALE`, and the same
device code after the edit of `NEEDLESS`.
"""

from __future__ import annotations

import pytest

from kbuild.values import dataclass
from support.device_texts import select

FILL = "template <class T> __global__ void fill(T* p) { *p = 1; }\n"
SIZED = "template <int N> __global__ void sized(int* p) { *p = N; }\n"
LIBRARY = "#include <library.hpp>\n"
KERNELS = (
    "template <class T> __global__ void kernel(T *);\n"
    "template <class T> void cuda_fill(T *p) { kernel<<<1, 1>>>(p); }\n"
    "template <class T> void make_solver() { cuda_fill((T *)0); }\n"
    "template <class T> void apply(T *p) { cuda_fill(p); }\n"
    "template <class T> void fill_all(T *p) { cuda_fill(p); }\n"
    "template <class T> struct solver_t { void run() { cuda_fill((T *)0); } };\n"
    "#define LIBRARY_CHECK(x) check(x, __LINE__)\n"
)
CUBES = """\
#pragma once
namespace cubes {
namespace detail { template <class T> __global__ void kernel(T *p) { *p = 1; } }
inline namespace v1 {
template <class T> void fill(T *p) { detail::kernel<<<1, 1>>>(p); }
struct Sorter { template <class T> static void sort(T *p) { fill(p); } };
}
template <class T> struct Box { T value; };
template <class T> Box<T> operator+(Box<T> box, T x) { fill(&x); return box; }
inline int size() { return 3; }
}
namespace facade { using namespace cubes; }
template <class T> void fill_outside(T *p) { cubes::fill(p); }
struct Solver { template <class T> void run(T *p) { cubes::fill(p); } };
inline Solver make_outside() { return {}; }
"""
OPERATORS = (
    "namespace loose { template <class T> __global__ void kernel(T *p) { *p = 1; }\n"
    "template <class S, class T> S &operator<<=(S &s, T x) { kernel<<<1, 1>>>(&x); return s; } }\n"
)
LIBRARY_HEADERS = {
    "operators.hpp": OPERATORS,
    "cubes.hpp": CUBES,
    "clear.hpp": (
        "namespace clear { template <class T> __global__ void kernel(T *p) { int total = 1; }\n"
        "template <class T> struct Box { T n; };\n"
        "template <class T> bool operator==(Box<T> a, Box<T> b) { return a.n == b.n; }\n"
        "template <class T> void fill(T *p) { kernel<<<1, 1>>>(p); } }\n"
    ),
    "opened.hpp": '#include "cubes.hpp"\nusing namespace cubes;\n',
    "library.hpp": KERNELS,
    "mykernels": KERNELS,
    "memory": "namespace std { template <class T> struct unique_ptr { T *get(); }; }\n",
    "cuda_runtime.h": "typedef struct CUstream_st *cudaStream_t;\n",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A source, a part of it to replace, and what is special about it."""

    source: str
    old: str
    new: str
    special: str
    header: str = ""


STALE = {
    "function that starts with make": Edited(
        source=LIBRARY + "void f() { make_solver<float>(); }\n",
        old="float",
        new="double",
        special="names that start with make_ are taken for those of the vector types",
    ),
    "class that ends in t": Edited(
        source=LIBRARY + "void f() { solver_t<float> s; s.run(); }\n",
        old="float",
        new="double",
        special="names that end in _t are taken for those of the C library",
    ),
    "function that starts with cuda": Edited(
        source=LIBRARY + "void f() { cuda_fill<float>(nullptr); }\n",
        old="float",
        new="double",
        special="names that start with cuda_ are taken for those of the toolkit",
    ),
    "header in lower case": Edited(
        source="#include <mykernels>\nvoid f() { fill_all<float>(nullptr); }\n",
        old="float",
        new="double",
        special="headers without a suffix are taken for those of the C++ library",
    ),
    "name of a library that is also a local name": Edited(
        source=LIBRARY + "void f() { { int apply = 1; (void)apply; } apply<float>(nullptr); }\n",
        old="float",
        new="double",
        special="a name of a library does not count in a function that also declares it",
    ),
    "template with a variable named like a kernel": Edited(
        source=(
            f"namespace ns {{ {FILL} }}\n"
            "template <class T> void go(T* p) { int fill = 1; ns::fill<<<1, fill>>>(p); }\n"
            "int main() { go((float*)0); }\n"
        ),
        old="(float",
        new="(double",
        special="the local names of a template hide the kernels that it launches",
    ),
    "number of initializers": Edited(
        source=SIZED + "void f() { int a[] = {1, 2}; sized<sizeof(a)><<<1, 1>>>(a); }\n",
        old="1, 2}",
        new="1, 2, 3}",
        special="the bound of an array is dropped if its initializer gives it",
    ),
    "length of a string": Edited(
        source=(
            SIZED + "template <int N> void run(const char (&)[N]) { sized<N><<<1, 1>>>(0); }\n"
            'void f() { char a[] = "ab"; run(a); }\n'
        ),
        old="ab",
        new="abc",
        special="the bound of an array is dropped if a string gives it",
    ),
    "object declared with its class": Edited(
        source=(
            FILL + "struct Maker { template <class T> operator T*() { fill<<<1, 1>>>((T*)0);"
            " return 0; } } maker;\nvoid g(float*);\nvoid h(double*);\nvoid f() { g(maker); }\n"
        ),
        old=" g(maker)",
        new=" h(maker)",
        special="a variable that is declared together with its class is not found",
    ),
    "line of a builtin function": Edited(
        source="\n__global__ void k(int* p) { *p = __builtin_LINE(); }\n",
        old="\n__global__",
        new="\n\n__global__",
        special="device code can get the number of its line from __builtin_LINE, too",
    ),
    "line of a macro of a library": Edited(
        source=LIBRARY + "__global__ void k(int* p) { LIBRARY_CHECK(*p); }\n",
        old="\n__global__",
        new="\n\n__global__",
        special="macros of other headers can contain __LINE__",
    ),
}
STALE |= {
    name: Edited(source=f"{FILL}{SIZED}{source}\n", old=old, new=new, special=special)
    for name, (special, old, new, source) in {
        "variable of an outer block": (
            "variables count in other blocks, too",
            "1.0f",
            "1.0",
            "void f() { auto x = 1.0f; if (x) { { fill<<<1, 1>>>(&x); } } }",
        ),
        "variable of the head of a loop": (
            "variables count in other blocks, too",
            "1.0f",
            "1.0",
            "void f() { for (auto x = 1.0f; x; x--) { fill<<<1, 1>>>(&x); } }",
        ),
        "variable of a condition in its else": (
            "variables count in other blocks, too",
            "1.0f",
            "1.0",
            "void f() { if (auto x = 1.0f) {} else { fill<<<1, 1>>>(&x); } }",
        ),
        "number in a template argument": (
            "numbers that are arguments do not count",
            "get(3)",
            "get(4)",
            "constexpr int get(int i) { return i; }\nvoid f() { sized<get(3)><<<1, 1>>>(0); }",
        ),
        "number in a constant": (
            "numbers that are arguments do not count",
            "get(3)",
            "get(4)",
            (
                "constexpr int get(int i) { return i; }\n"
                "void f() { const int n = get(3); sized<n><<<1, 1>>>(0); }"
            ),
        ),
    }.items()
} | {
    name: Edited(
        source=f"#include <cubes.hpp>\n{source}\n", old="float", new="double", special=special
    )
    for name, (special, source) in {
        "template beside a namespace": (
            "of a header with namespaces, only these count",
            "void f() { fill_outside<float>(0); }",
        ),
        "class beside a namespace": (
            "of a header with namespaces, only these count",
            "void f() { make_outside().run<float>(0); }",
        ),
        "directive with a global name": (
            "a directive is recognized by its first two words",
            "using namespace ::cubes; void f() { fill<float>(0); }",
        ),
        "directive in a function": (
            "only directives in namespaces count",
            "void f() { using namespace cubes; fill<float>(0); }",
        ),
        "directive in a header of a library": (
            "only directives of the project count",
            "#include <opened.hpp>\nvoid f() { Sorter::sort<float>(0); }",
        ),
        "directive in a namespace of a library": (
            "only the namespace of the directive counts",
            "using namespace facade; void f() { fill<float>(0); }",
        ),
        "directive with a nested namespace": (
            "what nested namespaces declare does not count",
            "using namespace cubes::detail; void f() { kernel<float><<<1, 1>>>(0); }",
        ),
        "directive with an alias": (
            "the name in a directive is taken for that of a namespace",
            (
                "namespace c = cubes::detail; using namespace c;"
                " void f() { kernel<float><<<1, 1>>>(0); }"
            ),
        ),
        "directive with the alias of an outer namespace": (
            "the name in a directive is taken for that of a namespace",
            (
                "namespace c = cubes; using namespace c::detail;"
                " void f() { kernel<float><<<1, 1>>>(0); }"
            ),
        ),
        "operator that only a directive makes visible": (
            "operators of libraries need an operand of a class of the library",
            (
                "#include <operators.hpp>\nusing namespace loose; struct S {};"
                " void f(S &s) { s <<= float(1); }"
            ),
        ),
    }.items()
}
NEEDLESS = {
    "variable with the name of another one": Edited(
        source=(
            FILL + "int copy(int);\nvoid check(int, int);\n"
            "template <class T> int run(T* p) { fill<<<1, 1>>>(p); return 1; }\n"
            "void f() { do { auto e = copy(1); if (e) { check(e, 1); } } while (0);"
            " do { auto e = run((int*)0); if (e) { check(e, 1); } } while (0); }\n"
        ),
        old="copy(1)",
        new="copy(2)",
        special="variables of other blocks have the same name",
    ),
    "line of a checked call": Edited(
        source=(
            FILL
            + "#define CHECK(x) do { auto e = (x); if (e) { check(e, __LINE__); } } while (0)\n"
            "void check(int, int);\n"
            "template <class T> int run(T* p) { fill<<<1, 1>>>(p); return 1; }\n"
            "void f(int i) {\n\ni++;\nCHECK(run((int*)0)); }\n"
        ),
        old="i++;\n",
        new="i++;\ni++;\n",
        special="the statement contains the number of its line",
    ),
    "function of a namespace that a directive makes visible": Edited(
        source=(
            "#include <clear.hpp>\nusing namespace clear;\n"
            "void f(int *p) { fill(p); }\nint g(int n) { int total = 1; return n + total; }\n"
        ),
        old="total = 1",
        new="total = 2",
        special="all names of a library count where it has a directive",
    ),
    # Reduced from acc.cu of ggml. Any name of the C++ library has this effect.
    "parameter of a class with an unknown name": Edited(
        header=(
            "#ifdef FOR_ANOTHER_PLATFORM\n#include <another_platform.h>\n#endif\n"
            "#include <memory>\n#include <cuda_runtime.h>\n"
            "struct Context { std::unique_ptr<int> pool; cudaStream_t stream(); };\n"
        ),
        source=(
            '#include "context.h"\n__global__ void k(float* p) { *p = 1; }\n'
            "static void launch(float* p, cudaStream_t s) { k<<<1, 1, 0, s>>>(p); }\n"
            "void run(Context& context, float* p) { launch(p, context.stream()); }\n"
        ),
        old="launch(p, context",
        new="launch(p + 1, context",
        special="a header that is not read makes all names of the C++ library unknown",
    ),
}


def select_both(case: Edited) -> tuple[str, str]:
    """Return the device texts before and after the edit."""
    changed = case.source.replace(case.old, case.new)
    if changed == case.source:
        raise ValueError(f"{case.old!r} is not in the source")
    before, after = (
        select(text, library=LIBRARY_HEADERS, context=case.header)
        for text in (case.source, changed)
    )
    return before, after


@pytest.mark.parametrize("case", STALE.values(), ids=STALE)
def test_an_edit_that_changes_device_code_changes_the_text(case: Edited) -> None:
    before, after = select_both(case)

    assert before != after


@pytest.mark.parametrize("case", NEEDLESS.values(), ids=NEEDLESS)
def test_an_edit_that_changes_no_device_code_keeps_the_text(case: Edited) -> None:
    before, after = select_both(case)

    assert before == after
