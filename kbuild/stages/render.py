"""Renders the templates: the one way in which kbuild generates text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import jinja2

from kbuild import resources


def render(template: str, rows: Mapping[str, Any]) -> bytes:
    """The text of ``template`` over ``rows``; an undefined name is an error, not a blank."""
    return _environment().get_template(template).render(rows).encode()


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates_directory()),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - C and C++, not HTML
    )
    environment.filters["c_string"] = c_string
    environment.filters["comment"] = escape_comment
    environment.filters["cmake"] = cmake_string
    return environment


def c_string(text: str | None) -> str:
    """``text`` as a C string literal; None as a null pointer."""
    if text is None:
        return "0"
    return '"' + "".join(map(_escape, text.encode())) + '"'


def _escape(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':  # ? could start a trigraph
        return f"\\{character}"
    # Three octal digits end by themselves, which \x does not.
    is_plain = character.isascii() and character.isprintable()
    return character if is_plain else f"\\{byte:03o}"


def escape_comment(text: str) -> str:
    """``text`` where it cannot end a C or C++ comment."""
    # A backslash, which would join lines, becomes what may end a comment: first of all.
    return text.replace("\\", "/").replace("*/", "* /").replace("\n", " ")


def cmake_string(value: object) -> str:
    """``str(value)`` as a CMake argument that nothing in it can end or expand."""
    text = str(value)
    level = "=" * (1 + max((len(run) for run in re.findall("=+", text)), default=0))
    return f"[{level}[{text}]{level}]"
