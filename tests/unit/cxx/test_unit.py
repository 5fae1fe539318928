"""The tokens of a text, also if they are read in parts."""

from __future__ import annotations

import pytest

from kbuild.cxx.unit import Unit, read_separate_part

FIRST = '# 1 "a.h"\nnamespace n { int f(int); }\n#if 0\n{ int\n#endif\n'
SECOND = '# 1 "a.cu"\n#pragma unroll\nint x = "s"[0]; // end\nvoid g() { x >>= 1; }\n'


def test_parts_have_the_tokens_of_the_whole() -> None:
    parts = [read_separate_part(part) for part in (FIRST, SECOND, FIRST)]
    unit = Unit(FIRST + SECOND + FIRST, parts=[part for part in parts if part])
    whole = Unit(FIRST + SECOND + FIRST)

    assert None not in parts
    assert list(unit.words) == whole.words
    assert list(unit.starts) == whole.starts
    assert unit.directives == whole.directives
    assert unit.partners == whole.partners
    assert unit.find(("n",)) == whole.find(("n",))


@pytest.mark.parametrize(
    "text",
    [
        "int x;",  # the next part can continue the line
        "#if 0\nint x;\n",
        "#endif\n",
        "#ifdef X\n",
        'char *s = R"(\n',
        'auto *s = u8R"(\n',
        "int x; /* a comment\n",
        "bool b = x and y;\n",  # another spelling
    ],
)
def test_a_part_that_depends_on_others_is_not_read_alone(text: str) -> None:
    assert read_separate_part(text) is None


def test_a_string_that_ends_like_the_prefix_of_a_raw_one_is_read_alone() -> None:
    assert read_separate_part('const char *s = "ATOMIC_OR";\n') is not None
