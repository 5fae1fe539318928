"""Tests for finding kernels in preprocessed text."""

from __future__ import annotations

import pytest

from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.model import KernelDeclaration
from kbuild.cxx.unit import Unit


def find_one(text: str) -> KernelDeclaration:
    (found,) = find_kernels(Unit(text.replace("GLOBAL", "__kbuild_global__")))
    return found


@pytest.mark.parametrize(
    "text",
    [
        "GLOBAL void k(int n) {}",
        "void GLOBAL k(int n);",
        "static GLOBAL void k(int n);",
        "inline void __attribute__((x(1, 2))) GLOBAL __launch_bounds__(32, 2) k(int n);",
        'extern "C" GLOBAL void k(int n) {}',
        'extern "C" { GLOBAL void k(int n); }',
        "[[maybe_unused]] GLOBAL void k(int n);",
        "namespace a { namespace { GLOBAL void k(int n) {} } }",
        "#pragma once\nGLOBAL\nvoid\nk(int n)\n{\n}",
        '# 3 "a;b.cu" 2\nGLOBAL void k(int n) noexcept;',
        "int x = f({1}); GLOBAL auto k(int n) -> void {}",
        "class A { public: friend GLOBAL void k(int n); };",
    ],
)
def test_a_marker_anywhere_in_the_specifiers_makes_a_kernel(text: str) -> None:
    found = find_one(text)
    assert (found.name, found.parameters, found.template) == ("k", "int n", "")
    assert found.form == "declaration"


@pytest.mark.parametrize(
    "header",
    [
        "template <class T>",
        "template <class T, class = decltype(T{1})>",
        "template <class T, int N = (3 > 2)>",
        "template <template <class> class C, class... Ts>",
        "template <class T> requires (A<T> && B<T>)",
        "template <class T> requires A<T> || (sizeof(T) > 2)",
        "template <class T> requires requires(T t) { t.x; }",
    ],
)
def test_the_template_header_is_separate(header: str) -> None:
    assert find_one(f"int x; {header} GLOBAL void k(T* p) {{ }}").template == header


def test_a_requires_clause_after_the_parameters_joins_the_template_header() -> None:
    found = find_one("template <class T> GLOBAL void k(T* p) requires A<T> { f(); }")
    assert found.template == "template <class T> requires A<T>"


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("GLOBAL void ns::k(int) {}", "qualified"),
        ("template <> GLOBAL void k<int>(int) {}", "specialization"),
        ("template GLOBAL void k<int>(int);", "instantiation"),
        ("extern template GLOBAL void k<int>(int);", "instantiation"),
    ],
)
def test_other_forms_of_declarations_are_told_apart(text: str, form: str) -> None:
    found = find_one(text)
    assert (found.name, found.form) == ("k", form)


def test_positions_enclose_the_declaration_and_its_body() -> None:
    text = 'int x;\ntemplate <int N>\n__kbuild_global__ void k() { f("}"); } int y;'
    (found,) = find_kernels(Unit(text))
    assert text[found.start : found.end].startswith("template <int N>")
    assert found.body is not None
    assert text[slice(*found.body)] == '{ f("}"); }'
    assert text[found.end :] == " int y;"


@pytest.mark.parametrize(
    "text",
    [
        "using F = GLOBAL void (int);",
        "#define X GLOBAL void k(int);\n",
        "GLOBAL int x = 3;",
        "int x__kbuild_global__; void f();",
    ],
)
def test_other_uses_of_the_marker_are_skipped(text: str) -> None:
    assert find_kernels(Unit(text.replace("GLOBAL", "__kbuild_global__"))) == ()


def test_a_friend_is_recognized() -> None:
    assert find_one("struct S { friend GLOBAL void k(S); };").is_friend
