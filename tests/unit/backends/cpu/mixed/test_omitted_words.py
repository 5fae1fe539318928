"""Tests for words that nvcc does without."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.omitted_words import insert_omitted_words
from kbuild.cxx.unit import Unit

FUNCTION = "struct S { template <bool b> int f(); };"


def insert_words(text: str) -> str:
    edits = tuple(insert_omitted_words(Unit(text)))
    for edit in sorted(edits, key=lambda edit: edit.start, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("s.f<true>();", "s.template f<true>();"),
        ("p->f<true, 3>(o); f<1>(); S::f;", "p->template f<true, 3>(o); f<1>(); S::f;"),
        ("s.template f<true>();", "s.template f<true>();"),
        ("s.f(3) < 4;", "s.f(3) < 4;"),
        ("s.operator<(t);", "s.operator<(t);"),
    ],
)
def test_calls(source: str, expected: str) -> None:
    assert insert_words(f"{FUNCTION} {source}") == f"{FUNCTION} {expected}"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("void g() { C<T>::f<1>(2); }", "void g() { C<T>::template f<1>(2); }"),
        ("void g() { C<T>::template f<1>(2); }", "void g() { C<T>::template f<1>(2); }"),
        ("void g() { std::f<1>(2); }", "void g() { std::f<1>(2); }"),
        ("template <> int C<int>::f<1>() { }", "template <> int C<int>::f<1>() { }"),
    ],
)
def test_static_members(source: str, expected: str) -> None:
    assert insert_words(f"{FUNCTION} {source}") == f"{FUNCTION} {expected}"


@pytest.mark.parametrize(
    "declaration",
    [
        "int f;",
        "int f = 1;",
        "int f[3];",
        "int a, f, c;",
        "int f : 3;",
        "int f{1};",
        "void g(int f) {}",
        "int (*f)(int);",
        "T t = {.f = 1};",
        "template <class T> struct f {};",
        "auto [f, g] = h;",
    ],
)
def test_objects_and_types_stay(declaration: str) -> None:
    text = f"{FUNCTION} {declaration} if (s.f < 3) ;"
    assert insert_words(text) == text


PAIR = "template <class T> struct pair { T a; };"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("struct A { using pair = pair<int>; };", "struct A { using pair = struct pair<int>; };"),
        ("struct N; class A { using N = N; };", "struct N; class A { using N = struct N; };"),
        ("class N; struct A { using N = N; };", "class N; struct A { using N = class N; };"),
        (
            "struct A { using pair = pair<int>; }; void f() { using pair = A; }",
            "struct A { using pair = struct pair<int>; }; void f() { using pair = A; }",
        ),
        (
            "struct alignas(8) [[f]] N {}; struct A { using N = N; };",
            "struct alignas(8) [[f]] N {}; struct A { using N = struct N; };",
        ),
    ],
)
def test_outer_classes(source: str, expected: str) -> None:
    assert insert_words(f"{PAIR} {source}") == f"{PAIR} {expected}"


@pytest.mark.parametrize(
    "source",
    [
        "struct A { using pair = struct pair<int>; };",
        "struct A { using pair = ::pair<int>; };",
        "struct A { using twin = pair<int>; };",
        "namespace n { using pair = pair<int>; }",
        "template <class T> using N = T*; struct A { using N = N<int>; };",
        "enum class N {}; struct A { using N = N; };",
        "template <class N, class M> struct A { struct B { using N = N; }; };",
    ],
)
def test_other_types_stay(source: str) -> None:
    assert insert_words(f"{PAIR} {source}") == f"{PAIR} {source}"
