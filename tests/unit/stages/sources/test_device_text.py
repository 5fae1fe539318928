"""The part of a mixed source that can change device code."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from support.device_texts import select, select_plainly

PROGRAM = """\
#include <cstdio>
#include "check.h"

// A kernel.
__global__ void plain(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] += 1; }

template <class T> __global__ void fill(T *x, T value) { x[threadIdx.x] = value; }

template <int N> __global__ void sized();

template <class T> void run(T *x, int n)
{
    fill<T><<<1, n>>>(x, T(1));
}

template <class T> struct Filler {
    T value;
    void operator()(T *x) { fill<<<1, 1>>>(x, value); }
};

template <class T> T largest(T a, T b) { return a < b ? b : a; }

static void report(int n) { printf("%d\\n", n); }

int main(int argc, char **argv)
{
    int n = 256, failures = 0;
    float *x, *y = nullptr;
    double other = 3.0;
    dim3 grid(n / 32), block(32);
    const int width = 4;
    /* FIRST */
    CHECK(cudaMalloc(&x, n * sizeof(float)));
    plain<<<grid, block>>>(x, n);
    report(n);
    if (argc > 1) {
        run(x, n);
    }
    Filler<float> filler{2.0f};
    filler(x);
    for (int i = 0; i < n; i++)
        failures += x[i] != 1;
    auto square = [](int v) { return v * v; };
    printf("%d %d\\n", square(failures), largest(width, 3));
    /* LAST */
    return failures != 0;
}
"""
CHECK = """\
template <class T> void check(T result, const char *file, int line) { if (result) exit(line); }
#define CHECK(call) check((call), __FILE__, __LINE__)
#define DEVICE __device__
"""
HOST_EDITS = {
    "a comment": ("// A kernel.", "/* Two\n lines */ // and more"),
    "an output": ("/* FIRST */", 'printf("hello\\n");\n'),
    "a call of the runtime": ("/* FIRST */", "cudaDeviceSynchronize(); cudaFree(y);\n\n"),
    "a checked call": ("/* LAST */", "CHECK(cudaMemset(x, 0, n));"),
    "another size": ("int n = 256", "int n = 1 << 20"),
    "a configuration": ("<<<grid, block>>>(x, n)", "<<<n / 64, dim3(64, 2), 16>>>(x, n)"),
    "the arguments of a plain kernel": (">>>(x, n)", ">>>(y, 2 * n)"),
    "a type": ("dim3 grid(n / 32)", "dim3 grid(n / 32, 7)"),
    "a condition": ("argc > 1", "argc > 2 && argv[1][0] == 'x'"),
    "a loop": ("i < n; i++", "i < n / 2; i += 2"),
    "a variable": ("/* FIRST */", "unsigned long total = 0; std::string text(argv[0]);"),
    "a lambda": ("return v * v", "return v + 2"),
    "a host template": ("largest(width, 3)", "largest(width, 5)"),
    "a result": ("return failures != 0", "return failures"),
    "the body of a function": ('printf("%d\\n", n); }', 'puts("n"); fflush(stdout); }'),
    "a condition of the preprocessor": (
        'printf("%d\\n", n); }',
        '\n#ifdef DEBUG\nprintf("%d\\n", n);\n#endif\n}',
    ),
}
DEVICE_EDITS = {
    "a kernel": ("+= 1", "+= 2"),
    "a template kernel": ("= value", "= 2 * value"),
    "a host template": ("T(1)", "T(2)"),
    "a class template": ("fill<<<1, 1>>>", "fill<T><<<1, 1>>>"),
    "a deduced type": ("float *x, *y", "double *x, *y"),
    "an instance": ("run(x, n)", "run<int>(nullptr, n)"),
    "a new instance": ("/* LAST */", "fill<char><<<1, 1>>>(nullptr, 'a');"),
    "a pointer to an instance": ("/* LAST */", "void (*p)(int *, int) = fill;"),
    "an instance in a lambda": ("return v * v", "fill<short><<<1, 1>>>(0, v); return v"),
    "an instance in an argument": ("report(n)", "report((run((double *)0, 1), n))"),
    "the type of a class template": ("Filler<float>", "Filler<double>"),
    "a use of an object": ("filler(x)", ""),
    "a device lambda": ("/* LAST */", "auto f = [=] __device__ (int i) { return i; };"),
    "a device lambda with a macro": ("/* LAST */", "auto f = [=] DEVICE (int i) { return i; };"),
    "a constant": ("/* LAST */", "sized<width><<<1, 1>>>();"),
    "a header": ('#include "check.h"', '#include "check.h"\n#include <thrust/sort.h>'),
    "a macro": ("// A kernel.", "\n#define SIZE 32\n"),
    "the parameters of a function": ("report(int n)", "report(long n)"),
    "a directive": ("/* FIRST */", "\n#define LOCAL 1\n"),
    "a namespace": ("/* FIRST */", "using namespace std;"),
}


def edit(change: tuple[str, str], source: str = PROGRAM) -> str:
    old, new = change
    assert old in source
    return source.replace(old, new)


@pytest.mark.parametrize("change", HOST_EDITS.values(), ids=HOST_EDITS)
def test_an_edit_of_host_code_keeps_the_text(change: tuple[str, str]) -> None:
    assert select(edit(change), check=CHECK) == select(PROGRAM, check=CHECK)


@pytest.mark.parametrize("change", DEVICE_EDITS.values(), ids=DEVICE_EDITS)
def test_an_edit_that_can_change_device_code_changes_the_text(change: tuple[str, str]) -> None:
    assert select(edit(change), check=CHECK) != select(PROGRAM, check=CHECK)


# Each function contains VALUE in a part that must stay.
KEPT = {
    "device": "__device__ int f() { return VALUE; }",
    "host and device": "__host__ __device__ int f() { return VALUE; }",
    "macro for device": "#define HD __host__ __device__\nHD int f() { return VALUE; }",
    "macro of a header": '#include "check.h"\nHD int f() { return VALUE; }',
    "macro in front of a constructor": '#include "check.h"\n'
    "struct S { HD S() { int i = VALUE; } };",
    "constexpr": "constexpr int f() { return VALUE; }",
    "template": "template <class T> int f() { return VALUE; }",
    "automatic": "auto f() { return VALUE; }",
    "automatic parameter": "void f(auto x) { g(VALUE); }",
    "trailing type": "auto f() -> int { return VALUE; }",
    "member of a template": "template <class T> struct S { int f() { return VALUE; } };",
    "declared as device code": "__device__ int f();\nint f() { return VALUE; }",
    "member that is declared as device code": "struct S { __device__ int f(); };\n"
    "int S::f() { return VALUE; }",
    "macro with a device lambda": "#define L [=] __device__\n"
    "int f() { auto l = L (int i) { return i; }; return VALUE; }",
    "static device variable": "int f() { static __device__ int i; return VALUE; }",
    "definition in a body": "int f() {\n#define X 1\nreturn VALUE; }",
    "branches with unmatched braces": "void f() {\n#if X\nif (a) {\n#else\nif (b) {\n#endif\n"
    "g(VALUE); }\n}",
    "unmatched macros": "#define BEGIN {\nvoid f() { BEGIN g(VALUE); }",
    "condition at compile time": "template <int I> __global__ void k();\n"
    "void f() { if constexpr (VALUE == 1) k<3><<<1, 1>>>(); }",
    "global variable": "int value = VALUE;",
    "lambda in a variable": "auto f = [](int i) { return VALUE; };",
    "default argument": "void f(int i = VALUE) {}",
    "macro for statements": "template <int I> __global__ void k();\n"
    "#define LAUNCH(I) k<I><<<1, 1>>>()\nvoid f() { LAUNCH(VALUE); }",
    "macro that makes names": "template <int I> __global__ void k1();\n"
    "#define NAME(I) k##I\nvoid f() { NAME(1)<VALUE><<<1, 1>>>(); }",
    "operator template": "template <class T> __global__ void k(T);\nstruct S {};\n"
    "template <class T> S &operator<<(S &s, T x) { k<<<1, 1>>>(x); return s; }\n"
    "void f(S &s) { s << VALUE; }",
    "alias of a class template": "template <class T> __global__ void k(T);\n"
    "template <class T> struct R { R(T x) { k<<<1, 1>>>(x); } };\nusing A = R<int>;\n"
    "void f() { A a(VALUE); }",
    "member of a class template in a class": "template <class T> __global__ void k(T);\n"
    "template <class T> struct R { template <class U> void go(U x) { k<<<1, 1>>>(x); } };\n"
    "struct S { R<int> r; };\nvoid f(S *s) { s->r.go(VALUE); }",
    "derived class": "template <class T> __global__ void k(T);\n"
    "struct B { template <class U> void go(U x) { k<<<1, 1>>>(x); } };\n"
    "struct S : B { void f(); };\n"
    "void S::f() { go(VALUE); }",
    "converting constructor": "template <class T> __global__ void k(T);\n"
    "struct A { template <class T> A(T x) { k<<<1, 1>>>(x); } };\nvoid g(A);\n"
    "void f() { g(VALUE); }",
    "converted result": "template <class T> __global__ void k(T);\n"
    "struct A { template <class T> A(T x) { k<<<1, 1>>>(x); } };\nA f() { return VALUE; }",
    "device variable template": "template <int I> __device__ int v;\n"
    "void f() { void *p; cudaGetSymbolAddress(&p, v<VALUE>); }",
    "names of unknown headers": "#include <thrust/sort.h>\n"
    "void f(float *x) { thrust::sort(thrust::device, x, x + VALUE); }",
    "names from unknown headers": "#include <thrust/sort.h>\nusing namespace thrust;\n"
    "void f(float *x) { sort(device, x, x + VALUE); }",
    "objects of unknown headers": "#include <thrust/sort.h>\n"
    "void f() { thrust::device_vector<int> v; v.resize(VALUE); }",
    "macro with names of unknown headers": "#include <thrust/sort.h>\n"
    "#define SORT(x, n) thrust::sort(thrust::device, x, x + n)\n"
    "void f(float *x) { SORT(x, VALUE); }",
    "array": "template <class T> __global__ void k(T);\n"
    "template <class T> void g(T &x) { k<<<1, 1>>>(x); }\nvoid f() { int a[VALUE]; g(a); }",
    "constant": "template <int N> __global__ void k();\n"
    "void f() { const int n = VALUE; k<n><<<1, 1>>>(); }",
    "deduced variable": "template <class T> __global__ void k(T);\n"
    "void f() { auto x = VALUE; k<<<1, 1>>>(x); }",
    "counter": "int f() { return __COUNTER__ + VALUE; }",
    "lines of another file": "#line 1\nint f() { return VALUE; }",
    "unclear text": "void f() { g(VALUE); ",
}


@pytest.mark.parametrize("source", KEPT.values(), ids=KEPT)
def test_code_that_can_matter_is_kept(source: str) -> None:
    header = "#define HD __host__ __device__\n"
    first, second = (source.replace("VALUE", value) for value in ("1", "2.0"))
    assert select(first, check=header) != select(second, check=header)


def test_a_body_in_a_namespace_and_in_a_class_is_dropped() -> None:
    source = (
        "namespace a { namespace { static int f() { return VALUE; } } }\n"
        'extern "C" { void g(void) { puts(VALUE); } }\n'
        "class S : public B { public: S(int i) : i_(i), j_{i} { puts(VALUE); } ~S() { g(VALUE); }\n"
        "int f() const noexcept { return VALUE; } private: int i_, j_; } s;\n"
        "int S::g() { return VALUE; }\n__host__ std::vector<int> h() { return {VALUE}; }\n"
    )
    assert select(source.replace("VALUE", "1")) == select(source.replace("VALUE", "2"))


def test_lines_count_only_for_device_code_that_can_contain_them() -> None:
    host = "void f()\n{\n    puts(0);\n}\n"
    plain = "__global__ void k(int *x) { *x = 1; }\n"
    checked = "#include <cassert>\n__global__ void k(int *x) { assert(x); }\n"
    assert select(host + plain) == select(host.replace("{\n", "{\n\n") + plain)
    assert select(host + checked) != select(host.replace("{\n", "{\n\n") + checked)
    assert select(checked + host) == select(checked + host.replace("{\n", "{\n\n"))
    shifted = host.replace("{\n", "{\n\n")
    assert select(host + plain, has_lines=True) != select(shifted + plain, has_lines=True)
    assert select(plain + host, has_lines=True) == select(plain + shifted, has_lines=True)


def test_spaces_in_an_assertion_count_because_its_message_contains_them() -> None:
    source = "#include <cassert>\n__global__ void k(int *x) { assert(x[0]<VALUE); }"
    assert select(source) != select(source.replace("<", " < "))


def test_names_of_a_template_that_launches_nothing_are_not_kept() -> None:
    header = "template <class T> struct Vector { T *data; int size() { return 3; } };"
    source = '#include "vector.h"\nvoid f() { Vector<int> v; printf("%d", v.size() + VALUE); }\n'
    first, second = source.replace("VALUE", "1"), source.replace("VALUE", "2")
    assert select(first, vector=header) == select(second, vector=header)


statements = st.sampled_from(
    [
        "x++;",
        'printf("}{ //");',
        "if (a) b(); else { c(); }",
        "for (int i = 0; i < 9; ++i) { d[i] = '{'; }",
        "do { e(); } while (f);",
        "switch (g) { case 1: h(); break; default: i(); }",
        "try { j(); } catch (const std::exception &error) { k(); }",
        "int v[] = {1, 2, 3};",
        "// comment { \n",
        "/* comment ( */",
        'auto s = R"(}" ; )";',
        "kernel<<<1, 2>>>(l);",
        "label: goto label;",
        "std::sort(m, m + n, [&](int p, int q) { return p < q; });",
        ";",
        "{ { } }",
    ]
)


@given(st.lists(statements), st.lists(statements))
def test_any_host_statements_without_templates_are_dropped(
    first: list[str], second: list[str]
) -> None:
    source = "__global__ void kernel(int *);\nint main(int argc, char **argv) {{ {} }}\nint x;\n"
    texts = (source.format("\n".join(statements)) for statements in (first, second))
    assert len(set(map(select_plainly, texts))) == 1


@given(st.lists(statements), st.lists(statements), st.sampled_from(["run<3>()", "x = run<4>()"]))
def test_an_instantiation_is_kept_among_any_statements(
    before: list[str], after: list[str], demand: str
) -> None:
    source = (
        "template <int I> __global__ void k();\n"
        "template <int I> int run() {{ k<I><<<1, 1>>>(); }}\nvoid f() {{ {} }}\n"
    )
    without = select_plainly(source.format("\n".join((*before, *after))))
    assert select_plainly(source.format("\n".join((*before, demand + ";", *after)))) != without
    inside = f"if (x) {{ {demand}; }} else y();"
    assert select_plainly(source.format("\n".join((*before, inside, *after)))) != without


@given(st.text("(){}[]<>;:#\"'\\\n/* aA_=,", max_size=60))
def test_any_text_is_accepted(text: str) -> None:
    select_plainly(text)


@pytest.mark.parametrize(
    ("source", "header"),
    [
        ("__device__ int f(std::source_location);", ""),
        ("", "int f(std::source_location = std::source_location::current());"),
        ("", "int f(int column = __builtin_COLUMN());"),
    ],
)
def test_a_source_whose_places_count_is_its_own_key(source: str, header: str) -> None:
    text = f'#include "places.h"\n{source}\nvoid host() {{ int x = 1; }}\n'

    assert select(text, places=header) == text
