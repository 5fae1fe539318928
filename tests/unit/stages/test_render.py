"""Tests for escaping arbitrary text in generated files."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from kbuild.stages.render import c_string, cmake_string, escape_comment


def test_special_characters_are_escaped() -> None:
    assert c_string(None) == "0"
    assert c_string('a"b\\c?') == '"a\\"b\\\\c\\?"'
    assert c_string("\n7é") == '"\\0127\\303\\251"'


@given(st.text())
@example("*\\")
def test_text_cannot_end_a_comment(text: str) -> None:
    escaped = escape_comment(text)

    assert "*/" not in escaped
    assert "\n" not in escaped
    assert not escaped.endswith("\\")


@given(st.text("=]["))
def test_text_cannot_end_a_bracket_argument(text: str) -> None:
    literal = cmake_string(text)

    opening, closing = literal[: literal.index("[", 1) + 1], "]" + literal.split("[")[1] + "]"
    assert literal.startswith(opening)
    assert literal.index(closing) == len(literal) - len(closing)
