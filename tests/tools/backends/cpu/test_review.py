"""What objects say about the execution models of their kernels."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild.backends.cpu.mixed.waits.review import Finding, review_object

# As device code: the index of the thread, what waits, and what a kernel says of itself.
HEADER = """
extern thread_local int threadIdx __asm__("_ZDC9threadIdxE");
extern "C" void (*const kbuild_cpu_waits)();
inline void wait() { kbuild_cpu_waits(); }
inline int index() { return threadIdx; }
int other(int);
#define REVIEWED(number, facts) \\
    { [[gnu::used]] static char __kbuild_definition__[4 * number + facts + 1]; }
extern "C" void kbuild_cpu_yield();
#define KERNEL [[gnu::used]] static char __kbuild_execution__[1];
struct Index { operator int() const { return threadIdx; } };
struct Waiting { ~Waiting() { wait(); } };
struct Virtual { virtual int get() { return 1; } };
"""
WAITS = Finding("waits", 0)
INDEX = Finding("index", 0)


def review(
    directory: Path, text: str, foreign: frozenset[str] | None = None
) -> tuple[Finding, ...]:
    source, result = directory / "a.cpp", directory / "a.o"
    source.write_text(HEADER + text)
    options = ("-O1", "-w", "-ffunction-sections", "-fdata-sections", "-march=x86-64")
    subprocess.run(["g++", *options, "-c", source, "-o", result], check=True)
    return review_object(result.read_bytes(), foreign)


@pytest.mark.parametrize(
    ("body", "findings"),
    [
        ("*p = 1;", ()),
        ("wait();", (WAITS,)),
        ("*p = index();", (INDEX,)),
        ("*p = Index() + 1;", (INDEX,)),
        ("Waiting object; *p = 1;", (WAITS,)),
        ("wait(); *p = index();", (WAITS,)),
        ("auto f = [] { return index(); }; *p = f();", (INDEX,)),
        ("*p = other(1);", ()),  # an error of the linker
    ],
)
def test_what_a_kernel_reaches(tmp_path: Path, body: str, findings: tuple[Finding, ...]) -> None:
    assert review(tmp_path, f"void k(int* p) {{ REVIEWED(0, 0) {body} }}") == findings


def test_kernels_with_atomic_functions_need_marks(tmp_path: Path) -> None:
    kernels = (
        "inline void add() { kbuild_cpu_yield(); }"
        "void j(int* p) { REVIEWED(0, 2) *p = 1; }"
        "void k(int* p) { REVIEWED(1, 2) add(); *p = index(); }"
        "void l(int* p) { REVIEWED(2, 0) add(); }"
    )
    assert review(tmp_path, kernels) == (Finding("index", 1), Finding("marks", 1))


def test_kernels_that_store_their_index_can_reach_reads(tmp_path: Path) -> None:
    kernels = (
        "void j(int* p) { REVIEWED(0, 1) *p = index(); }"
        "void k(int* p) { REVIEWED(1, 0) *p = index(); }"
        'extern "C" void l(int* p) { REVIEWED(2, 1) wait(); }'
        "void m(int* p) { wait(); }"  # has fibers already
    )

    assert review(tmp_path, kernels) == (Finding("index", 1), Finding("waits", 2))


@pytest.mark.parametrize(
    ("functions", "findings"),
    [
        ("int (*pointer)() = index;", (INDEX,)),
        ("void f() { wait(); } void (*pointer)() = f;", (WAITS,)),
        ("struct D : Virtual { int get() { wait(); return 2; } }; Virtual* v = new D;", (WAITS,)),
        ("void f() { wait(); } int (*pointer)();", ()),  # nobody takes the address
    ],
)
def test_calls_through_pointers(
    tmp_path: Path, functions: str, findings: tuple[Finding, ...]
) -> None:
    kernel = "void k(int* p, int (*f)()) { REVIEWED(0, 0) *p = f(); }"

    assert review(tmp_path, f"{functions} {kernel}") == findings


def test_variables_of_divided_functions_exist_twice(tmp_path: Path) -> None:
    text = """
        template <class T> int count(T) { static int count; return ++count; }
        template <class T> const int* find(T) { static const int found = 1; return &found; }
        struct __kbuild_split_7__ { static int run() { struct Own {}; return count(Own()); } };
        struct __kbuild_split_8__ { static auto run() { struct Own {}; return find(Own()); } };
        void k(int* p) { REVIEWED(0, 0) *p = __kbuild_split_7__::run(); }
        void l(const int** p) { REVIEWED(1, 0) *p = __kbuild_split_8__::run(); }
        void m(int* p) { REVIEWED(2, 0) *p = count(*p); }
    """

    assert review(tmp_path, text) == (WAITS,)


def test_kernels_are_no_functions_for_pointers(tmp_path: Path) -> None:
    kernels = (
        "void k(int* p, int (*f)()) { REVIEWED(0, 0) *p = f(); } void m(int* p) { KERNEL wait(); }"
    )

    assert review(tmp_path, f"{kernels} void (*launched)(int*) = m;") == ()


def test_displacements_before_avx_512_are_no_jumps(tmp_path: Path) -> None:
    code = 'asm volatile("lea -0xf0(%rbp), %rcx\\n vpaddd %zmm1, %zmm2, %zmm3");'
    kernel = f"void k(int* p) {{ REVIEWED(0, 0) {code} }}"

    assert review(tmp_path, f"int (*pointer)() = index; {kernel}") == ()


@pytest.mark.parametrize(
    ("call", "foreign", "findings"),
    [
        ("other(1)", frozenset(), (WAITS,)),
        ("of_c()", frozenset(), ()),
        ("of_c()", frozenset({"of_c"}), (WAITS,)),
    ],
)
def test_functions_of_other_sources_can_wait(
    tmp_path: Path, call: str, foreign: frozenset[str], findings: tuple[Finding, ...]
) -> None:
    kernel = f'extern "C" int of_c(); void k(int* p) {{ REVIEWED(0, 0) *p = {call}; }}'

    assert review(tmp_path, kernel, foreign) == findings
