"""Which functions another source can define, for sources with a device link."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.waits.foreign import find_foreign, names_pointers
from kbuild.cxx.unit import Unit

SYSTEM = """\
# 1 "/usr/include/x.h" 1 3
typedef void (*handler)(int);
struct S { virtual void f(); };
"""


def read(text: str) -> Unit:
    return Unit(f'{SYSTEM}# 1 "a.cu" 2\n{text.replace("DEV", "__kbuild_device__")}')


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("DEV int f(int); DEV int g() { return f(1); }", {"f"}),
        ("DEV int f(int); DEV int f(int x) { return x; }", set()),
        ("DEV int f(int a); DEV int f(int b) { return b; }", set()),
        ("DEV int f(int); DEV int f(float x) { return x; }", {"f"}),
        ("namespace n { DEV int f(); } DEV int f() { return 1; }", {"f"}),
        ("extern DEV int f(); int host();", {"f"}),
        ("struct S { DEV int f(); };", {"f"}),
        ("__kbuild_global__ void k(int* p);", set()),
        ("DEV int f() { return (*this)(1) + 2 * (3); }", set()),
        ("DEV float* f(float* p) { return p * (2) + (*p)[1]; }", set()),
    ],
)
def test_functions_without_a_definition(text: str, names: set[str]) -> None:
    code = read(text)
    declarations = q.find_declarations(code)

    assert find_foreign(code, declarations) == names
    assert not names_pointers(code, declarations)


@pytest.mark.parametrize(
    "text",
    [
        "typedef int (*function)(int);",
        "using function = int (*)(int);",
        "DEV int f(int (*g)(int)) { return g(1); }",
        "DEV int f(int (*const g)(int)) { return 1; }",
        "DEV int f(int* g) { return (*g)(1); }",
        "int (S::*member)(int);",
        "struct T { DEV virtual int f() { return 1; } };",
    ],
)
def test_anything_can_be_called(text: str) -> None:
    code = read(text)

    assert names_pointers(code, q.find_declarations(code))
