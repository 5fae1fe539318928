"""Tests for finding declarations with qualifiers."""

from __future__ import annotations

import pytest

from kbuild.cxx.declarations import Declaration, find_qualified
from kbuild.cxx.unit import Unit

WORDS = frozenset(("G", "D", "H"))


def find_one(text: str) -> Declaration:
    (found,) = find_qualified(Unit(text), WORDS)
    return found


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("G void k(int* p) { *p = 1; }", "k", "int* p"),
        ("static G void k();", "k", ""),
        ("template <class T, int N = (1 > 0)> G void k(T v = T(3)) {}", "k", "T v = T(3)"),
        ("template <> G void k<float, 2>(float*) {}", "k", "float*"),
        ("template <int N, class T, B<N<2, int> = 0> G void k(T v) {}", "k", "T v"),
        ("template <class... T, B<sizeof...(T) < 2, int> = 0> G void k(T... v) {}", "k", "T... v"),
        ('extern "C" G void k(int) {}', "k", "int"),
        ("G void __attribute__((aligned(8))) k(int (*f)(int)) {}", "k", "int (*f)(int)"),
        ("void G ns::k(const int (&a)[2]) {}", "k", "const int (&a)[2]"),
        ("D bool operator()(int) const { return true; }", "operator()", "int"),
        ("D V operator==(V a) { return a; }", "operator==", "V a"),
        ("D decltype(f(1)) k(int) { return f(1); }", "k", "int"),
        ("D int (*k(int n))(char) { return nullptr; }", "k", "int n"),
        ("D int (&S::k(int n))[2] { return S::v; }", "k", "int n"),
        ("D int (B<int>::*k(int n))(char) { return nullptr; }", "k", "int n"),
        ("D int k(...) { return 0; }", "k", "..."),
        ("D operator P<int, P<int, int>>() const { return {}; }", "operatorP<int,P<int,int>>", ""),
        ("D bool operator<(P<int, int> p) { return true; }", "operator<", "P<int, int> p"),
    ],
)
def test_functions(text: str, name: str, parameters: str) -> None:
    found = find_one(text)

    assert found.kind == "function"
    assert (found.name, text[slice(*found.parameters)]) == (name, parameters)
    assert (found.start, found.end) == (0, len(text))
    assert (found.body is not None) == ("{" in text)


@pytest.mark.parametrize(
    "text",
    [
        "D int a, b[2] = {2, 3}, *c;",
        "static D float w[] = {1, 2};",
        "D int (*f)(int) = g;",
        'D const char* const names[] = {"x;", "}"};',
        "D std::pair<int, long> p{1, 2};",
        "D std::pair<int, long> p(1, 2);",
        "D float v(.5f);",
        "D int (S::*m)(int, int) const = nullptr;",
        "D struct S : B { int x; } a, *b;",
        "D int (*f[2])(int (*g)(int));",
    ],
)
def test_variables(text: str) -> None:
    found = find_one(f"int before;\n{text} int after;")

    assert found.kind == "variable"
    assert found.end - found.start == len(text)


def test_the_members_of_a_constructor_are_not_its_body() -> None:
    text = "struct V { H D V(float a) : x{a}, y(a), z{b{a}} { x = 1; } };"
    found = find_one(text)

    assert found.scope == "class"
    assert found.initializers is not None
    assert found.body is not None
    assert text[slice(*found.body)] == "{ x = 1; }"


def test_explicit_instantiations_have_no_template_header() -> None:
    found = find_one("template G void k<double, 2>(double*, double);")

    assert found.is_instantiation
    assert found.template == ""
    assert found.name == "k"


@pytest.mark.parametrize(
    "text",
    [
        "void f() { run([=] D (int i) { return i; }); }",
        "void f() { return [&x] H D (int) {}; }",
        "auto f = [] D (int) mutable {};",
        "auto f = []<class T, class U = B<T[2]>> D (T v) { return v; };",
    ],
)
def test_lambdas(text: str) -> None:
    assert find_one(text).kind == "lambda"


def test_an_array_is_not_a_lambda() -> None:
    found = find_qualified(Unit("[[nodiscard]] D int f(); int x[3]; D int y;"), WORDS)

    assert [declaration.kind for declaration in found] == ["function", "variable"]


def test_the_place_of_a_declaration() -> None:
    found = find_qualified(
        Unit("namespace a { namespace { D int x; } G void k() { D int y; } }"), WORDS
    )

    assert [declaration.namespaces for declaration in found] == [("a", ""), ("a",), ("a",)]
    assert [declaration.scope for declaration in found] == ["namespace", "namespace", "block"]


def test_literals_and_directives_are_not_declarations() -> None:
    assert not find_qualified(Unit('# 1 "G D H"\nconst char* s = "G D"; char c = \'G\';'), WORDS)
