"""Escaping: whatever a name holds, generated text says the same."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import example, given, settings
from hypothesis import strategies as st

from kbuild.stages.render import c_string, cmake_string, escape_comment

TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), max_size=20)


def test_c_string() -> None:
    assert c_string(None) == "0"
    assert c_string('a"b\\c?') == '"a\\"b\\\\c\\?"'
    assert c_string("\n7é") == '"\\0127\\303\\251"'


@settings(max_examples=5, deadline=None)
@given(texts=TEXTS)
def test_a_compiler_reads_back_what_c_string_wrote(
    tmp_path_factory: object, texts: list[str]
) -> None:
    folder = Path(str(tmp_path_factory.mktemp("c_string")))  # type: ignore[attr-defined]
    lines = [f"    fwrite({c_string(t)}, 1, {len(t.encode())}, stdout); putchar(0);" for t in texts]
    source = folder / "t.c"
    source.write_text("\n".join(["#include <stdio.h>", "int main(void) {", *lines, "}"]))
    subprocess.run(["gcc", "-std=c99", "-trigraphs", "-w", source, "-o", folder / "t"], check=True)

    output = subprocess.run([folder / "t"], check=True, capture_output=True).stdout

    assert output.split(b"\0")[:-1] == [text.encode() for text in texts]


@given(st.text())
@example("*\\")
def test_nothing_ends_a_comment(text: str) -> None:
    escaped = escape_comment(text)

    assert "*/" not in escaped
    assert "\n" not in escaped
    assert not escaped.endswith("\\")


@given(st.text("=]["))
def test_nothing_ends_a_bracket_argument(text: str) -> None:
    literal = cmake_string(text)

    opening, closing = literal[: literal.index("[", 1) + 1], "]" + literal.split("[")[1] + "]"
    assert literal.startswith(opening)
    assert literal.index(closing) == len(literal) - len(closing)
