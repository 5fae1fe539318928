"""Tests for line markers."""

from __future__ import annotations

import pytest

from kbuild.cxx.lines import locate

TEXT = """\
# 1 "a.cu"
one
# 1 "dir/b.h" 1 3 4
two

three
# 2 "a.cu" 2
four
#pragma once
five
# 17
six
#line 30
seven
# 40 "c\\"d.cu"
eight
"""


@pytest.mark.parametrize(
    ("word", "place", "marker"),
    [
        ("one", "a.cu:1", '# 1 "a.cu"'),
        ("two", "dir/b.h:1", '# 1 "dir/b.h" 3 4'),
        ("three", "dir/b.h:3", '# 3 "dir/b.h" 3 4'),
        ("four", "a.cu:2", '# 2 "a.cu"'),
        ("five", "a.cu:4", '# 4 "a.cu"'),
        ("six", "a.cu:17", '# 17 "a.cu"'),
        ("seven", "a.cu:30", '# 30 "a.cu"'),
        ("eight", 'c\\"d.cu:40', '# 40 "c\\"d.cu"'),
    ],
)
def test_positions_belong_to_lines_of_sources(word: str, place: str, marker: str) -> None:
    location = locate(TEXT, TEXT.index(word))
    assert str(location) == place
    assert location.marker == marker


def test_text_without_markers_has_lines_of_an_unknown_file() -> None:
    location = locate("one\ntwo", 4)
    assert (str(location), location.marker) == ("<unknown>:2", "# 2")
