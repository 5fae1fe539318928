"""Render the templates of generated files, and escape what they contain."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

import jinja2
from jinja2.bccache import Bucket

from kbuild import __version__, files, resources


def render(template: str, rows: Mapping[str, Any]) -> bytes:
    """Render ``template`` with the variables ``rows``. An undefined variable is an error."""
    return _find_environment().get_template(template).render(rows).encode()


class _CompiledTemplates(jinja2.BytecodeCache):
    """Compiled templates in a directory, as Python keeps compiled modules.

    Otherwise, compiling templates takes a fifth of the time of a pack edge.
    """

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def _locate(self, bucket: Bucket) -> Path:
        name = f"{bucket.key}.{__version__}.{sys.implementation.cache_tag}.pyc"
        return self._directory / name

    def load_bytecode(self, bucket: Bucket) -> None:
        """Read a compiled template, unless the template has changed."""
        with contextlib.suppress(OSError):
            bucket.bytecode_from_string(self._locate(bucket).read_bytes())

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Write a compiled template, unless Python writes no compiled modules either."""
        if sys.dont_write_bytecode:
            return
        with contextlib.suppress(OSError):  # the installation can be read-only
            files.write_file(self._locate(bucket), bucket.bytecode_to_string())


@cache
def _find_environment() -> jinja2.Environment:
    return make_environment()


def make_environment() -> jinja2.Environment:
    """Return the templates, with the filters that escape values."""
    directory = resources.templates_directory()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(directory),
        bytecode_cache=_CompiledTemplates(directory / "__pycache__"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - C and C++, not HTML
    )
    environment.filters["c_string"] = c_string
    environment.filters["comment"] = escape_comment
    environment.filters["cmake"] = cmake_string
    environment.filters["fortran_comment"] = wrap_fortran_comment
    environment.filters["fortran_continue"] = wrap_fortran_string
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


# Of the 132 columns of a line, what an indented comment or string uses.
_FORTRAN_WIDTH: Final = 100


def wrap_fortran_comment(text: str) -> str:
    """Return ``text`` with a line break and a comment mark where a line would be too long."""
    return "\n  !   ".join(_split_text(" ".join(text.split())))


def wrap_fortran_string(text: str) -> str:
    """Return the content of a string literal, which continues where a line would be too long."""
    return "&\n        &".join(_split_text(text))


def _split_text(text: str) -> list[str]:
    return [text[i : i + _FORTRAN_WIDTH] for i in range(0, len(text), _FORTRAN_WIDTH)]


def cmake_string(value: object) -> str:
    """Return ``str(value)`` as a CMake bracket argument, in which CMake expands nothing."""
    text = str(value)
    level = "=" * (1 + max((len(run) for run in re.findall("=+", text)), default=0))
    return f"[{level}[{text}]{level}]"
