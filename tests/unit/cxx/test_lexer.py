"""Tests for splitting text into tokens."""

from __future__ import annotations

import pytest

from kbuild.cxx.lexer import normalize, split_text
from kbuild.cxx.unit import Unit


def normalize_text(text: str) -> str:
    return normalize(text, split_text(text).words)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a<<<1>>>(b)", ["a", "<<<", "1", ">", ">", ">", "(", "b", ")"]),
        ("a << 1 <= 2", ["a", "<<", "1", "<=", "2"]),
        ("1'000.5e-3f .5 x.y", ["1'000.5e-3f", ".5", "x", ".", "y"]),
        (r"""'\'' L'a' "\\\"" """, [r"'\''", "L", "'a'", r'"\\\""']),
        ("p->q...a::b", ["p", "->", "q", "...", "a", "::", "b"]),
        ('R"x(")y" )x" + 1', ["R", '"x(")y" )x"', "+", "1"]),
        ('u8R"({\n)" {', ["u8R", '"({\n)"', "{"]),
        ('f("R") + g(R"(")")', ["f", "(", '"R"', ")", "+", "g", "(", "R", '"(")"', ")"]),
        ('"a R" + "(" + ")"', ['"a R"', "+", '"("', "+", '")"']),
        (" \na\t\r\n \f\v\"b \"  #x \n' '\n", ["a", '"b "', "#x ", "' '"]),
        ('R"( a )"  \n R  "b"', ["R", '"( a )"', "R", '"b"']),
    ],
)
def test_tokens(text: str, words: list[str]) -> None:
    found = split_text(text)

    assert found.words == words
    assert all(text.startswith(word, start) for word, start in zip(*found, strict=True))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('a // b\\\nc\nd /* " */ e', ["a", "d", "e"]),
        ("#if 0\nint x;\n#endif", ["#if 0", "int", "x", ";", "#endif"]),
        ("#define A \\\n b\nc", ["#define A \\\n b", "c"]),
        ("a \\\n b", ["a", "b"]),
    ],
)
def test_source_that_is_not_preprocessed(text: str, words: list[str]) -> None:
    assert split_text(text, is_source=True).words == words


def test_a_unit_has_no_directives_among_its_tokens() -> None:
    unit = Unit('# 1 "a.cu"\nint a;\n#if 0\n}{\n#endif\nint b[(1)];\n')

    assert unit.words == ["int", "a", ";", "int", "b", "[", "(", "1", ")", "]", ";"]
    assert [each.text for each in unit.directives] == ['# 1 "a.cu"', "#if 0\n}{\n#endif"]
    assert unit.partners == {5: 9, 9: 5, 6: 8, 8: 6}
    assert unit.find_close(unit.text.index("[")) == unit.text.index("]")
    assert unit.find_head(7) == 7  # after the parenthesis
    assert unit.find_head(10) == 3


def test_nested_disabled_text() -> None:
    """A disabled kernel can contain disabled lambda expressions; other conditionals are code."""
    inner = "#if 0\n{ f([] { }\n#if 0\n{ }\n#endif\n); \n#endif"
    unit = Unit(f"#if X\nint a;\n{inner}\nint b;\n#endif\nint c;\n")
    assert unit.words == ["int", "a", ";", "int", "b", ";", "int", "c", ";"]
    assert [each.text for each in unit.directives] == ["#if X", inner, "#endif"]
    assert Unit("int a;\n#endif\n").words == ["int", "a", ";"]


@pytest.mark.parametrize(
    ("text", "usual"),
    [
        ("a and b or not c", "a &&  b || !   c"),
        ("a and_eq b; c or_eq d; e xor_eq f;", "a &=     b; c |=    d; e ^=     f;"),
        ("a bitand b bitor compl c xor d not_eq e", "a &      b |     ~     c ^   d !=     e"),
        ("int a<:2:> = <%1, 2%>;", "int a[ 2]  = { 1, 2} ;"),
        ("s<:t:>=0; f(a<:1:>==2)", "s[ t] =0; f(a[ 1] ==2)"),
        # `<::` is `<` and `::`, unless `:` or `>` follows.
        ("f<::A>(p<:::b:>)", "f<::A>(p[ ::b] )"),
        ("int a<::> = {};", "int a[ ]  = {};"),
        # Other words and texts.
        ("band = android.and1 + for_;", None),
        ('"a and b <% %>" + R"(or)" + \'not\'', None),
        ("a < ::b; c ? d<e : ::f; a % > b", None),
        ('# 1 "and.h"\nx', None),
    ],
)
def test_alternative_tokens(text: str, usual: str | None) -> None:
    assert normalize_text(text) == (text if usual is None else usual)
    assert len(normalize_text(text)) == len(text)


def test_comments_keep_their_words_beside_alternative_tokens() -> None:
    assert (
        normalize_text('// a and b\nc and d /* or <: */ "or"')
        == '// a and b\nc &&  d /* or <: */ "or"'
    )
