"""Tests for reading template headers and parameters."""

from __future__ import annotations

import pytest

from kbuild.cxx.rewriting.signatures import expand_aliases, read_signature
from kbuild.cxx.unit import Unit


@pytest.mark.parametrize(
    ("declared", "renamed"),
    [
        ("int* p", "int* kbuild_0"),
        ("int", "int kbuild_0"),
        ("unsigned", "unsigned kbuild_0"),
        ("const T* const __restrict__ x", "const T* const kbuild_0"),
        ("T* __restrict__* __restrict p", "T* __restrict__* kbuild_0"),
        ("unsigned long long n = 3", "unsigned long long kbuild_0 = 3"),
        ("a::b<c, (d > 2)>::e f", "a::b<c, (d > 2)>::e kbuild_0"),
        ("typename T::template U<3> u", "typename T::template U<3> kbuild_0"),
        ("struct S s = S{1, 2}", "struct S kbuild_0 = S{1, 2}"),
        ("S", "S kbuild_0"),
        ("float a[4][8]", "float kbuild_0[4][8]"),
        ("int[]", "int kbuild_0[]"),
        ("void (*f)(int, float)", "void (* kbuild_0)(int, float)"),
        ("void (*)(int)", "void (* kbuild_0)(int)"),
        ("int (S::*m)(int) const", "int (S::* kbuild_0)(int) const"),
        ("int S::*m", "int S::* kbuild_0"),
        ("double (*rows)[16]", "double (* kbuild_0)[16]"),
        ("Ts... ts", "Ts... kbuild_0"),
        ("const Ts*...", "const Ts*... kbuild_0"),
        ("decltype(f(1, 2)) x", "decltype(f(1, 2)) kbuild_0"),
        ("const __attribute__((x)) M m", "const __attribute__((x)) M kbuild_0"),
        ("std::array<int, 3> a = {1, 2}", "std::array<int, 3> kbuild_0 = {1, 2}"),
        ("A::Integral auto x", "A::Integral auto kbuild_0"),
        ("bool b = (1 < 2)", "bool kbuild_0 = (1 < 2)"),
        ("int n = f<1, 2>()", "int kbuild_0 = f<1, 2>()"),
        ("\n# 3\nint\n n", "int kbuild_0"),
    ],
)
def test_parameters_get_new_names(declared: str, renamed: str) -> None:
    (parameter,) = read_signature("", declared).parameters
    assert parameter.text == renamed


def test_parameters_are_split_at_their_own_commas() -> None:
    signature = read_signature("", "A<1, 2> a, int (*f)(int, int), B b = {1, 2}, int n = (1, 2)")
    assert [parameter.old_name for parameter in signature.parameters] == ["a", "f", "b", "n"]


def test_types_and_defaults_use_the_new_names_of_earlier_parameters() -> None:
    signature = read_signature("", "int* p, decltype(p) q, int n = sizeof(*p) + s.p + s::p")
    assert [parameter.text for parameter in signature.parameters[1:]] == [
        "decltype(kbuild_0 ) kbuild_1",
        "int kbuild_2 = sizeof(*kbuild_0 ) + s.p + s::p",
    ]


@pytest.mark.parametrize("parameters", ["", "void", " \n "])
def test_there_can_be_no_parameters(parameters: str) -> None:
    assert read_signature("", parameters).parameters == ()


@pytest.mark.parametrize(
    ("header", "named", "arguments"),
    [
        ("template <class T>", "template <class T>", ["T"]),
        ("template <int, class>", "template <int kbuild_t0, class kbuild_t1>", None),
        ("template <class T, class...Ts>", "template <class T, class... Ts>", ["T", "Ts"]),
        (
            "template <template <class, class> class C = V>",
            "template <template <class, class> class C = V>",
            ["C"],
        ),
        (
            "template <typename = enable_if_t<(N > 3)>>",
            "template <typename kbuild_t0 = enable_if_t<(N > 3)>>",
            None,
        ),
        (
            "template <enable_if_t<f<T>(), int> = 0>",
            "template <enable_if_t<f<T>(), int> kbuild_t0 = 0>",
            None,
        ),
        ("template <void (*F)(int)>", "template <void (* F)(int)>", ["F"]),
        ("template <auto... V>", "template <auto... V>", ["V"]),
        ("template <A::Integral I>", "template <A::Integral I>", ["I"]),
        ("template <class T> requires A<T>", "template <class T> requires A<T>", ["T"]),
        ("template <>", "template <>", []),
    ],
)
def test_template_parameters_keep_or_get_names(
    header: str, named: str, arguments: list[str] | None
) -> None:
    signature = read_signature(header, "")
    assert signature.header == named
    if arguments is not None:
        assert [parameter.name for parameter in signature.template] == arguments


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("", "int n, const float* p"), ("", "const int, float const *q")),
        (("", "unsigned n"), ("", "unsigned int")),
        (("", "long unsigned n, short s"), ("", "unsigned long int, short int")),
        (("", "int a[4]"), ("", "int*")),
        (("", "int n [[maybe_unused]]"), ("", "int n")),
        (("", "S s"), ("", "struct S")),
        (("", "int* __restrict__ const p"), ("", "int*")),
        (("", "::ns::A a, int n = 3"), ("", "ns::A b, int")),
        (("", "int (*f)(int a, float)"), ("", "int (*)(int, float b)")),
        (("template <class T, int N>", "T* t"), ("template <typename U, int M>", "U* x")),
        (("template <class... T>", "T... t"), ("template <class... U>", "U...")),
    ],
)
def test_redeclarations_have_the_same_key(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert read_signature(*first).key == read_signature(*second).key


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("", "int"), ("", "unsigned")),
        (("", "int*"), ("", "const int*")),
        (("", "long"), ("", "long long")),
        (("", "char"), ("", "signed char")),
        (("template <class T>", "T*"), ("template <class T, class U>", "T*")),
        (("template <class T>", "T"), ("template <int T>", "T")),
        (("", "int (*)(int)"), ("", "int (*)(float)")),
    ],
)
def test_overloads_have_different_keys(first: tuple[str, str], second: tuple[str, str]) -> None:
    assert read_signature(*first).key != read_signature(*second).key


def test_aliases_are_expanded() -> None:
    text = "typedef unsigned int u; using F = float; typedef const F* P; typedef u v;"
    first = read_signature("", "v n, P p, Q q").key
    second = read_signature("", "unsigned n, float const* p, Q q").key
    assert first != second
    code = Unit(text)
    assert expand_aliases(code, first) == expand_aliases(code, second)
