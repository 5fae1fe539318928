"""Texts without the bodies of functions and classes."""

from __future__ import annotations

import pytest

from kbuild.cxx.outline import divide_outside, outline

TEXTS = {
    "function": ("void f() { g({}); }\nint x;", "void f() {}\nint x;"),
    "class": ("struct S { int i; } s;", "struct S {} s;"),
    "namespace": ("namespace a::b { void f() { } }", "namespace a::b { void f() {} }"),
    "inline namespace": (
        "inline namespace a { int i = {1}; }",
        "inline namespace a { int i = {}; }",
    ),
    "language": ('extern "C" { void f() { g(); } }', 'extern "C" { void f() {} }'),
    "function of a language": ('extern "C" void f() { g(); }', 'extern "C" void f() {}'),
    "path with a word": (
        '# 1 "namespace.h"\nstruct S { int i; };',
        '# 1 "namespace.h"\nstruct S {};',
    ),
    "literals": ("""void f() { g("}", '}', 1'000, R"(}")"); } int x;""", "void f() {} int x;"),
    "literals in namespaces": ("""auto s = R"x({")x"; char c = '{';""",) * 2,
    "open brace": ("void f() { g(); ",) * 2,
    "closed brace": ("} void f() { g(); }",) * 2,
}


@pytest.mark.parametrize(("text", "expected"), TEXTS.values(), ids=TEXTS)
def test_bodies_are_dropped(text: str, expected: str) -> None:
    assert outline(text) == expected


def test_declarations_outside_of_named_namespaces() -> None:
    text = (
        "int a; int b;\nnamespace n { int c; }\nnamespace { int d; }\n"
        'extern "C" { int e; void f() { int g; } }\ninline namespace v { int h; }\n'
        "struct S { int i; } s; void f() { int j; } int k"
    )
    found = [text[start:stop].strip() for start, stop in divide_outside(text)]

    assert [part for part in found if part] == [
        *("int a;", "int b;", "namespace n { int c; }", "int d;", "int e;"),
        *("void f() { int g; }", "int h;", "struct S { int i; }", "s;"),
        *("void f() { int j; }", "int k"),
    ]
