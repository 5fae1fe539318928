"""Host code in kernel sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from kbuild.stages.sources import host_code
from kbuild.stages.sources.host_code import HostCode, find_host_code

HEADER = """\
# 0 "dir/a.cu"
# 0 "<built-in>"
# 1 "header.h" 1 3
void of_a_header() {}
struct S { __attribute__((device)) int f(); };
# 2 "dir/a.cu" 2
"""
DEVICE = {
    "kernel": "__attribute__((global)) void k(int *p) { *p = 1; }",
    "kernel of the CPU backend": "__attribute__((patchable_function_entry(1, 1), used, "
    'visibility("default"))) void k() {}',
    "device function": "__attribute__((device)) int f() { return 1; }",
    "device function of the CPU backend": '__attribute__((visibility("hidden"))) int f() {}',
    "launch bounds": "__launch_bounds__(128, 2) __global__ void k(int *p) { *p = 1; }",
    "both": "__attribute__((host)) __attribute__((device)) int f() { return 1; }",
    "qualifier after the type": "int __attribute__((device)) f() { return 1; }",
    "static": "static int f() { return 1; }",
    "inline": "inline int f() { return 1; }",
    "forced inline": "__inline__ __attribute__((always_inline)) int f() { return 1; }",
    "constexpr": "constexpr int f() { return 1; }",
    "template": "template <class T> int f(T x) { return 1; }\ntemplate int f<int>(int);",
    "specialization": "template <> int f<int>(int) { return 1; }",
    "anonymous namespace": "namespace a { namespace { int f() { return 1; } int v; } }",
    "member": "struct T { int f() { return 1; } static int g() { return 1; } int v; };",
    "operator": "struct T { bool operator==(T) { return 1; } };",
    "declaration": 'int f(int device); extern int v; extern "C" { int g(void); }',
    "declared in a header": "int S::f() { return 1; }",
    "declared static": "static int f(int);\nint f(int x) { return x; }",
    "declared inline": "inline int f(int);\nint f(int x) { return x; }",
    "device variable": "__attribute__((device)) int v; __attribute__((constant)) float w[3];",
    "managed variable of the CPU backend": '__attribute__((visibility("hidden"), '
    'section(".data.kbuild_managed"))) int v = 3;',
    "constant": "const int v = 3; const float w[] = {1, 2}; const char *const x = 0;",
    "constant expression": "constexpr int v = 3;",
    "types": "enum E { A, B }; class F; struct G { int x; } ; typedef int H; using I = int;",
    "thread": "static thread_local int v = 3;",
    "using": "using namespace std; using ns::f; namespace n = m;",
    "assertion": 'static_assert(sizeof(int) == 4, "");',
    "assembly": 'asm(".globl f");',
}
HOST = {
    "function": ("void f(int x)\n{\n}", "function", "f", 2),
    "parameter with the name of a qualifier": (
        "int f(int device) { return 1; }",
        "function",
        "f",
        2,
    ),
    "later": ("\n\nstatic int g() { return 1; }\nint f() { return g(); }", "function", "f", 5),
    "C linkage": ('extern "C" void f() {}', "function", "f", 2),
    "block of C linkage": ('extern "C" {\nvoid f() {} }', "function", "f", 3),
    "namespace": ("namespace a { namespace b::c {\nint f() {} } }", "function", "a::b::c::f", 3),
    "member": ("struct T { T(); };\nT::T() : x(1), y{2} {}", "function", "T::T", 3),
    "operator": ("T operator+(T a, T b) { return a; }", "function", "operator+", 2),
    "call operator": ("int T::operator()(int) { return 1; }", "function", "operator()", 2),
    "deduced type": ("auto f() { return 1; }", "function", "f", 2),
    "trailing type": ("auto f() -> int { return 1; }", "function", "f", 2),
    "attribute": ("[[nodiscard]] __attribute__((noinline)) int f() {}", "function", "f", 2),
    "main": ("int main(int argc, char **argv) try { } catch (...) { }", "function", "main", 2),
    "after a header": ('# 1 "b.h" 1\nint g() {}\n# 7 "dir/a.cu" 2\nint f() {}', "function", "f", 7),
    "variable": ("int v;", "variable", "v", 2),
    "initialized": ("std::vector<int> v = {1, 2};", "variable", "v", 2),
    "array": ("float v[4] = {};", "variable", "v", 2),
    "pointer to a constant": ('const char *v = "a";', "variable", "v", 2),
}


@pytest.mark.parametrize("text", DEVICE.values(), ids=DEVICE)
def test_device_and_local_code_is_accepted(text: str) -> None:
    assert find_host_code((HEADER + text + "\n").encode()) is None


@pytest.mark.parametrize(("text", "kind", "name", "line"), HOST.values(), ids=HOST)
def test_host_code_is_found(text: str, kind: str, name: str, line: int) -> None:
    found = find_host_code((HEADER + text + "\n").encode())

    assert found == HostCode(kind=kind, name=name, line=line)  # type: ignore[arg-type]


def test_a_source_that_is_not_preprocessed_has_its_own_lines() -> None:
    text = b"#include <cstdio>\n\n__device__ int g() {}\nKBUILD_KERNEL void k() {}\nint f() {}\n"

    assert find_host_code(text) == HostCode(kind="function", name="f", line=5)


def test_a_brace_that_a_header_opens_is_not_an_error() -> None:
    assert find_host_code((HEADER + "int f() {} }\n").encode()) is None


def test_headers_are_searched_but_their_line_markers_are_not_read(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Counter:
        def __init__(self) -> None:
            self.read = 0

        def match(self, text: bytes, position: int = 0) -> re.Match[bytes] | None:
            self.read += 1
            return pattern.match(text, position)

        def finditer(self, text: bytes) -> Iterator[re.Match[bytes]]:
            for found in pattern.finditer(text):
                self.read += 1
                yield found

    pattern, counter = host_code._MARKER, Counter()
    monkeypatch.setattr(host_code, "_MARKER", counter)
    headers = "".join(f'# {line} "h{line}.h" 1\nvoid f{line}();\n' for line in range(1000))
    text = f'# 0 "a.cu"\n{headers}# 5 "a.cu" 2\nint a;\n#pragma x\n{headers}# 9 "a.cu" 2\nint b;\n'

    found = find_host_code(text.encode())

    assert found == HostCode(kind="variable", name="a", line=5)
    assert counter.read < 10
