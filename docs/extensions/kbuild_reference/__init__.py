"""A Sphinx extension that writes the reference from kbuild's own source.

A page requests generated text in an HTML comment, which other Markdown viewers hide::

    <!-- generate: command verify -->

    <!-- generate: fields kbuild.verify.report.Finding
    rule: The rule's id, such as `KB501`.
    -->

The first word after ``generate:`` names a generator, the rest are its arguments. The lines of
a longer comment are handed to the generator too: they hold the prose that the source lacks.

The text follows the comment, up to a comment that ends it, so that a checkout is readable. A test
keeps it current, and writes it if ``KBUILD_UPDATE_GOLDEN`` is set.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from kbuild_reference import (
    cmake,
    commands,
    cpu_functions,
    fields,
    headers,
    nvcc_options,
    policy,
)

GENERATORS: Final[Mapping[str, Callable[[str, str], str]]] = {
    "command": commands.render,
    "cmake": cmake.render,
    "cpu": cpu_functions.render,
    "declaration": headers.render,
    "fields": fields.render,
    "nvcc": nvcc_options.render,
    "policy": policy.render,
}
_PLACEHOLDER: Final = re.compile(
    r"^(?P<comment><!-- generate: (?P<generator>\w+)(?: (?P<argument>[^\n]*?))?"
    r"(?:\n(?P<body>(?:(?!-->).)*?))?\s*-->)"
    r"(?:\n(?:(?!<!-- generate: ).)*?\n<!-- end of generated text -->)?$",
    re.MULTILINE | re.DOTALL,
)
_END: Final = "<!-- end of generated text -->"


def expand(text: str) -> str:
    """Replace each placeholder of a page, and the text behind it, with what it requests.

    Raises:
        ValueError: A placeholder names an unknown generator, or something that the source
            does not have.
    """
    return _PLACEHOLDER.sub(_expand_one, text)


def update(text: str) -> str:
    """Write the text that each placeholder of a page requests behind it."""
    return _PLACEHOLDER.sub(
        lambda match: f"{match['comment']}\n\n{_expand_one(match).strip()}\n\n{_END}", text
    )


def _expand_one(match: re.Match[str]) -> str:
    generator = GENERATORS.get(match["generator"])
    if generator is None:
        known = ", ".join(sorted(GENERATORS))
        raise ValueError(f"unknown generator {match['generator']!r}; expected one of {known}")
    return generator(match["argument"] or "", match["body"] or "")


def _on_source_read(app: Any, name: str, source: list[str]) -> None:  # noqa: ARG001 - Sphinx's
    source[0] = expand(source[0])


def setup(app: Any) -> dict[str, Any]:
    """Connect the generators to Sphinx, and teach it CMake commands."""
    app.add_object_type("command", "cmakecommand", "pair: %s; CMake command")
    app.connect("source-read", _on_source_read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
