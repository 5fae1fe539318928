"""The columns of preprocessed text after `restore_columns`, as a compiler counts them."""

from __future__ import annotations

import re

import pytest

from kbuild.cxx.columns import describe_place, restore_columns
from kbuild.cxx.model import Edit
from kbuild.cxx.rewriting.rewrite import apply_edits
from kbuild.cxx.unit import Unit

MARKER = re.compile(r'# (\d+) "a\.cu"')


def list_columns(source: str, preprocessed: str, *edits: Edit) -> dict[str, tuple[int, int]]:
    """Return the line and the column of each word, as a compiler finds them."""
    text = f'# 1 "a.cu"\n{preprocessed}'
    moved = [Edit(start=e.start + 11, end=e.end + 11, text=e.text) for e in edits]
    changes = (*moved, *restore_columns(Unit(text), moved, lambda _: source.split("\n")))
    found: dict[str, tuple[int, int]] = {}
    number = 0
    for line in apply_edits(text, changes, (0, len(text))).split("\n"):
        marker = MARKER.fullmatch(line)
        if marker is not None:
            number = int(marker[1])
            continue
        for word in re.finditer(r"\w+|[^\w\s]+", line):
            found.setdefault(word[0], (number, word.start()))
        number += 1
    return found


def test_tokens_behind_a_longer_word_keep_their_column() -> None:
    found = list_columns("__global__ void k() { x; }", "__kbuild_global__ void k() { x; }")

    assert (found["void"], found["k"], found["x"]) == ((1, 11), (1, 16), (1, 22))


def test_tokens_of_a_macro_have_the_column_of_its_name() -> None:
    found = list_columns("int a = N + b;", "int a = (100) + b;")

    assert (found["100"], found["b"]) == ((1, 8), (1, 12))


def test_tokens_behind_a_comment_keep_their_column() -> None:
    found = list_columns("f(/* the first */ a, b);\ng();", "f( a, b);\ng();")

    assert (found["a"], found["b"], found["g"]) == ((1, 18), (1, 21), (2, 0))


def test_columns_count_bytes() -> None:
    assert list_columns('s = N "\u00e4"; x', 's = 1 "\u00e4"; x')["x"] == (1, 12)


def test_operators_of_two_tokens_stay_together() -> None:
    found = list_columns("N(a) != b;", "(a + 1) != b;")

    assert "!=" in found


def test_tokens_behind_a_change_keep_their_column() -> None:
    found = list_columns("k<<<1>>>(x);", "k<<<1>>>(x);", Edit(start=1, end=8, text=""))

    assert found["x"] == (1, 9)


@pytest.mark.parametrize(
    ("source", "place"),
    [("__global__ void k();", "a.cu:1:12"), ("", "a.cu:1:1")],
)
def test_the_place_of_a_token(source: str, place: str) -> None:
    unit = Unit('# 1 "a.cu"\n__kbuild_global__ void k();')

    assert describe_place(unit, unit.text.index("void"), lambda _: [source]) == place


def test_a_file_that_cannot_be_read_has_no_columns() -> None:
    unit = Unit('# 1 "a.cu"\nvoid k();')

    assert describe_place(unit, unit.text.index("k"), lambda _: []) == "a.cu:1"
