"""Render the templates of generated files, and escape what they contain."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import jinja2

from kbuild import resources


def render(template: str, rows: Mapping[str, Any]) -> bytes:
    """Render ``template`` with the variables ``rows``. An undefined variable is an error."""
    return _environment().get_template(template).render(rows).encode()


class _BytecodeCache(jinja2.FileSystemBytecodeCache):
    """Compiled templates next to the templates, as Python keeps compiled modules.

    Compiling a template takes longer than the rest of a pack edge.
    """

    def __init__(self) -> None:
        directory = resources.templates_directory() / "__pycache__"
        super().__init__(str(directory), f"%s.{sys.implementation.cache_tag}.pyc")

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        """Write a compiled template, unless Python writes no compiled modules either."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):  # the installation can be read-only
            Path(self.directory).mkdir(exist_ok=True)
            super().dump_bytecode(bucket)


@cache
def _environment() -> jinja2.Environment:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(resources.templates_directory()),
        bytecode_cache=_BytecodeCache(),
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
    """Return ``text`` as a C string literal, or a null pointer for None."""
    if text is None:
        return "0"
    return '"' + "".join(map(_escape, text.encode(errors="surrogateescape"))) + '"'


def _escape(byte: int) -> str:
    character = chr(byte)
    if character in '"\\?':  # a ? can start a trigraph
        return f"\\{character}"
    # An octal escape has at most three digits. A \x escape would include hex digits after it.
    is_plain = character.isascii() and character.isprintable()
    return character if is_plain else f"\\{byte:03o}"


def escape_comment(text: str) -> str:
    """Change ``text`` so that it cannot end a C or C++ comment."""
    # Replace backslashes first: they could join lines, and their replacement can form a "*/".
    return text.replace("\\", "/").replace("*/", "* /").replace("\n", " ")


def cmake_string(value: object) -> str:
    """Return ``str(value)`` as a CMake bracket argument, in which CMake expands nothing."""
    text = str(value)
    level = "=" * (1 + max((len(run) for run in re.findall("=+", text)), default=0))
    return f"[{level}[{text}]{level}]"
