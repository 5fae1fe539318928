"""Tests for templates, and for escaping arbitrary text in generated files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kbuild import resources
from kbuild.stages.render import c_string, cmake_string, escape_comment, make_environment


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a directory with one template."""
    (tmp_path / "a.j2").write_text("{{ value }}")
    monkeypatch.setattr(resources, "templates_directory", lambda: tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path


def render_anew(value: str) -> str:
    """Render the template as a new process does."""
    return make_environment().get_template("a.j2").render(value=value)


def test_compiled_template_is_read_again(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert render_anew("x") == "x"
    (compiled,) = (templates / "__pycache__").iterdir()
    monkeypatch.setattr("jinja2.Environment.compile", None)

    assert render_anew("y") == "y"
    assert compiled.suffix == ".pyc"


def test_changed_template_is_compiled_again(templates: Path) -> None:
    render_anew("x")
    (templates / "a.j2").write_text("<{{ value }}>")

    assert render_anew("x") == "<x>"


def test_damaged_compiled_template_is_replaced(templates: Path) -> None:
    render_anew("x")
    (compiled,) = (templates / "__pycache__").iterdir()
    content = compiled.read_bytes()
    compiled.write_bytes(content[: len(content) // 2])

    assert render_anew("y") == "y"
    assert compiled.read_bytes() == content


def test_templates_work_where_nothing_can_be_written(templates: Path) -> None:
    (templates / "__pycache__").touch()

    assert render_anew("x") == "x"


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
