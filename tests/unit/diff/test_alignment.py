"""Comparing listings: names of labels do not matter, but what they refer to does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kbuild.diff.alignment import align, compare_lines
from kbuild.diff.model import CodeChange

LOOP = ("mov r1", "L\0{0}:", "add r1", "bra L\0{0}", "L\0{1}:", "exit", "bra L\0{1}")


def number(lines: tuple[str, ...], *labels: int) -> list[str]:
    return [line.format(*labels) for line in lines]


def changes(change: CodeChange | None) -> tuple[int, int]:
    assert change is not None
    return change.removed_lines, change.added_lines


def test_different_label_numbers_are_equal() -> None:
    assert compare_lines(number(LOOP, 0, 1), number(LOOP, 7, 3), "x") is None


def test_branch_to_another_label_is_a_difference() -> None:
    old, new = number(LOOP, 0, 1), number(LOOP, 0, 1)
    new[3] = "bra L\x001"

    assert changes(compare_lines(old, new, "x")) == (1, 1)


def test_inserted_lines_do_not_change_other_lines() -> None:
    old, new = number(LOOP, 0, 1), number(LOOP, 4, 5)
    new[3:3] = ["mul r2", "mul r3"]

    change = compare_lines(old, new, "x")

    assert changes(change) == (0, 2)
    assert change is not None
    (hunk,) = change.hunks
    assert [row.new for row in hunk.rows if not row.is_equal] == ["mul r2", "mul r3"]
    assert "\0" not in "".join(f"{row.old}{row.new}" for row in hunk.rows)


def test_swapped_registers_are_a_difference() -> None:
    old = ["ld %r\x001, [a]", "ld %r\x002, [b]", "sub %r\x003, %r\x001, %r\x002"]
    new = ["ld %r\x001, [a]", "ld %r\x002, [b]", "sub %r\x003, %r\x002, %r\x001"]

    assert changes(compare_lines(old, new, "x")) == (1, 1)


def test_huge_difference_is_truncated_and_counted() -> None:
    change = compare_lines([f"a{i}" for i in range(3000)], [f"b{i}" for i in range(3000)], "x")

    assert changes(change) == (3000, 3000)
    assert change is not None
    assert change.omitted == 1000
    assert sum(len(hunk.rows) for hunk in change.hunks) == 2000


LINES = st.lists(st.sampled_from(["a", "b", "c", "d", "e", "f"]), max_size=30)


@given(LINES)
def test_listing_equals_itself(lines: list[str]) -> None:
    assert compare_lines(lines, lines, "x") is None


@given(LINES, LINES)
def test_aligned_lines_are_equal_and_in_order(old: list[str], new: list[str]) -> None:
    at_old = at_new = 0
    for i, j, size in align(old, new):
        assert i >= at_old
        assert j >= at_new
        assert old[i : i + size] == new[j : j + size]
        at_old, at_new = i + size, j + size
    assert at_old <= len(old)
    assert at_new <= len(new)


@given(LINES, LINES)
def test_line_counts_match_the_listings(old: list[str], new: list[str]) -> None:
    change = compare_lines(old, new, "x")

    if change is None:
        assert old == new
    else:
        assert len(old) - change.removed_lines == len(new) - change.added_lines
