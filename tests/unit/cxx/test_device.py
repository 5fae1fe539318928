"""Tests for finding device functions and variables."""

from __future__ import annotations

import pytest

from kbuild.cxx.device import find_device_functions, find_device_variables, list_device_code
from kbuild.cxx.kernels import find_kernels
from kbuild.errors import SourceError


def mark(text: str) -> str:
    words = {"DEVICE": "device", "HOST": "host", "CONSTANT": "constant", "MANAGED": "managed"}
    for word, name in words.items():
        text = text.replace(word, f"__kbuild_{name}__")
    return text


def list_bodies(text: str) -> list[tuple[str, bool]]:
    marked = mark(text)
    return [
        (marked[slice(*function.body)], function.is_deduced)
        for function in find_device_functions(marked)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "DEVICE int f(int a) { x; }",
        "static inline __attribute__((always_inline)) DEVICE int f() { x; }",
        "template <class T, class U = decltype(T{})> DEVICE U f(T t) { x; }",
        "DEVICE int f(int y = sizeof(struct {int z;})) { x; }",
        "struct S { DEVICE S(int a) : m{a}, b(3), c{} { x; } };",
        "struct S { DEVICE ~S() { x; } };",
        "struct S { DEVICE int operator()(int q) const noexcept(true) { x; } };",
        "struct S { DEVICE explicit operator bool() const { x; } };",
        "struct S { public: DEVICE S& operator=(const S&) { x; } };",
        "DEVICE auto f() -> int { x; }",
        "[[nodiscard]] DEVICE int f() { x; }",
        "DEVICE int (*f(int))(int) { x; }",
    ],
)
def test_bodies_of_device_functions_are_found(text: str) -> None:
    assert list_bodies(text) == [("{ x; }", False)]


@pytest.mark.parametrize(
    "text",
    [
        "DEVICE auto f() { x; }",
        "DEVICE auto& f() { x; }",
        "DEVICE decltype(auto) f() { x; }",
        "DEVICE constexpr int f() { x; }",
    ],
)
def test_functions_that_host_code_needs_are_told_apart(text: str) -> None:
    assert list_bodies(text) == [("{ x; }", True)]


@pytest.mark.parametrize(
    "text",
    [
        "HOST DEVICE int f() { x; }",
        "DEVICE HOST int f() { x; }",
        "DEVICE int f();",
        "struct S { DEVICE S() = default; DEVICE S(int) = delete; };",
        "auto l = [=] DEVICE (int i) { x; };",
        "f([a[0]] DEVICE () { x; }, 3);",
        "DEVICE int v = 3;",
        "DEVICE int w{3};",
    ],
)
def test_other_things_are_not_device_functions(text: str) -> None:
    assert list_bodies(text) == []


def test_code_for_devices_includes_kernels() -> None:
    text = mark("DEVICE void f() { a; } __kbuild_global__ void k() { b; } void h() { c; }")
    found = list_device_code(find_kernels(text), find_device_functions(text))
    assert [text[slice(*span)] for span in found] == ["{ a; }", "{ b; }"]


def describe(text: str) -> list[tuple[str, str, str | None]]:
    marked = mark(text)
    return [
        (
            variable.kind,
            f"{variable.type} {variable.name}{variable.suffix}",
            None if variable.initializer is None else marked[slice(*variable.initializer)],
        )
        for variable in find_device_variables(marked)
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DEVICE int a;", [("device", "int a", None)]),
        ("CONSTANT float c[3] = {1, 2};", [("constant", "float c[3]", "= {1, 2}")]),
        ("DEVICE CONSTANT float c[3];", [("constant", "float c[3]", None)]),
        ("MANAGED DEVICE int m = 5;", [("managed", "int m", "= 5")]),
        ("DEVICE S s{1};", [("device", "S s", "{1}")]),
        ("DEVICE S s(3);", [("device", "S s", "(3)")]),
        ("DEVICE int (*f)(int) = g;", [("device", "int (* f)(int)", "= g")]),
        ("const DEVICE A<1, 2> a;", [("device", "const A<1, 2> a", None)]),
        (
            "DEVICE int w[4][8] = {{1, 2}}, v = 2, *p;",
            [
                ("device", "int w[4][8]", "= {{1, 2}}"),
                ("device", "int v", "= 2"),
                ("device", "int * p", None),
            ],
        ),
        ("DEVICE int f(int); DEVICE int g() { int a; }", []),
        ("void f() { DEVICE static int x; }", []),
        ('DEVICE const char* s = "a;b";', [("device", "const char* s", '= "a;b"')]),
    ],
)
def test_device_variables_are_found(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert [
        (kind, declared, None if start is None else start.removeprefix("= "))
        for kind, declared, start in describe(text)
    ] == [
        (kind, declared, None if start is None else start.removeprefix("= "))
        for kind, declared, start in expected
    ]


def test_where_and_how_a_variable_is_declared() -> None:
    text = mark(
        "static DEVICE int a; extern DEVICE int b; template <class T> DEVICE T c;"
        " struct S { static DEVICE int d; };"
    )
    found = {variable.name: variable for variable in find_device_variables(text)}
    assert found["a"].storage == ("static",)
    assert found["b"].storage == ("extern",)
    assert found["c"].template == "template <class T>"
    assert found["d"].is_member
    assert not found["a"].is_member
    assert text[found["a"].start : found["a"].end] == mark("static DEVICE int a;")


def test_a_type_in_the_declaration_is_an_error() -> None:
    with pytest.raises(SourceError, match=r"^a.cu:3: the declaration of a device variable also"):
        find_device_variables(mark('# 3 "a.cu"\nDEVICE struct S { int a; } s;'))
