"""Which expressions have only built-in operators, if their names are numbers or pointers."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.mixed.regions.grammar.expressions import (
    Span,
    is_literal,
    list_operands,
    read_plain,
)
from kbuild.cxx.unit import Unit


def spell(unit: Unit, spans: tuple[Span, ...]) -> list[str]:
    return [" ".join(unit.words[first:last]) for first, last in spans]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1 + 2 * 3", []),
        ("a + b * -c - ~d", ["a", "b", "c", "d"]),
        ("a ? b : c", ["a", "b", "c"]),
        ("!a && b || c", ["a", "b", "c"]),
        ("a == b != (c <= d)", ["a", "b", "c", "d"]),
        ("a >> b << c", ["a", "b", "c"]),
        ("threadIdx.x + blockIdx.y * blockDim.z + gridDim.x", []),
        ("(a + 1) * (b)", ["a", "b"]),
        ("int(a) + unsigned long(b)", ["a", "b"]),
        ("(float)a / (long long)b", ["a", "b"]),
        ("static_cast<unsigned>(a + b)", ["a", "b"]),
        ("N::M + ::c", ["N :: M", ":: c"]),
        ("tile.size() + a", ["a"]),
        ("a + - + b", ["a", "b"]),
        ("a.b + c.d * 2", ["a . b", "c . d"]),
    ],
)
def test_plain_expressions(text: str, names: list[str]) -> None:
    unit = Unit(text)
    found = read_plain(unit, 0, len(unit.words), frozenset(("size",)))

    assert found is not None
    assert spell(unit, found.names) == names


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a +",
        "a b",
        "f(a)",
        "a[1]",
        "*a",
        "&a",
        "a.b.c",
        "a.b()",
        "a.b[1]",
        "a->b",
        "a.size(1)",
        "a.other()",
        "a = b",
        "a += b",
        "a++",
        "--a",
        "a, b",
        "a <=> b",
        "[] { return 1; }()",
        "{a}",
        "T{a}",
        "T(a)",
        "(T)a",
        "static_cast<T>(a)",
        "v<int>",
        "1_km + a",
        '"text"',
        "threadIdx.w",
        "a.*b",
    ],
)
def test_other_expressions(text: str) -> None:
    unit = Unit(text)

    assert read_plain(unit, 0, len(unit.words), frozenset(("size",))) is None


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("int(a) + (float)b", []),
        ("size_t(a) + (std::uint8_t)b", ["size_t", "std :: uint8_t"]),
        ("static_cast<int64_t>(a)", ["int64_t"]),
    ],
)
def test_named_types_need_a_proof(text: str, types: list[str]) -> None:
    unit = Unit(text)
    found = read_plain(unit, 0, len(unit.words), frozenset())

    assert found is not None
    assert spell(unit, found.types) == types


@pytest.mark.parametrize(
    "word",
    ["0", "1'000", "0x1Fu", "0b11", "7ull", "1LLU", "1.", ".5f", "1e-3", "1.5L", "'a'", "true"],
)
def test_literals(word: str) -> None:
    assert is_literal(word)


@pytest.mark.parametrize(
    "word", ["1_km", "1.5h", "0x1_a", "1uu", '"a"', "a", "nullptr", "1i", "'a'_c"]
)
def test_literals_of_users(word: str) -> None:
    assert not is_literal(word)


@pytest.mark.parametrize(
    ("text", "operands"),
    [
        ("a + b", ["a", "+", "b"]),
        ("-a - -b", ["- a", "-", "- b"]),
        ("*p++ = x", ["* p + +", "=", "x"]),
        ("a <<= b << c", ["a", "<<=", "b", "<<", "c"]),
        ("a && &b", ["a", "&&", "& b"]),
        ("(float)a * b", ["( float ) a", "*", "b"]),
        ("f(a, b) ? p->q : s.t[1]", ["f ( a , b )", "?", "p -> q", ":", "s . t [ 1 ]"]),
        ("int i = a, j", ["int i", "=", "a", ",", "j"]),
        ("a- --b", ["a", "-", "- - b"]),
        ("a >= b > c", ["a", ">=", "b", ">", "c"]),
        ("return *a + b", ["return * a", "+", "b"]),
    ],
)
def test_operands(text: str, operands: list[str]) -> None:
    unit = Unit(text)
    parts = list_operands(unit, 0, len(unit.words))

    assert [p.text or " ".join(unit.words[p.start : p.stop]) for p in parts] == operands
