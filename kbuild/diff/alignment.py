"""Align two listings and find the lines that differ, except for names of labels and registers.

The number after a `MARK` only names something inside its listing. Lines are aligned without these
numbers. Two aligned lines are equal if the numbers of one side map one-to-one to those of the other
in the whole listing.
"""

from __future__ import annotations

import bisect
import difflib
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from kbuild.backends.interface.code import MARK
from kbuild.diff.model import CodeChange, Hunk, Row

_NUMBER: Final = re.compile(rf"\w*{MARK}\d+")
_DIGITS: Final = re.compile(rf"{MARK}\d+")
_CONTEXT: Final = 3
# The time to align two pieces grows with the product of their lengths, so larger pieces between
# two anchors count as replaced.
_MAX_PRODUCT: Final = 250_000
_MAX_ROWS: Final = 2000


def compare_lines(old: Sequence[str], new: Sequence[str], language: str) -> CodeChange | None:
    """Return how two listings differ, or None if they do not."""
    rows = list(_pair(old, new))
    if all(row.is_equal for row in rows):
        return None
    hunks, omitted = _make_hunks(rows)
    return CodeChange(
        language=language,
        removed_lines=sum(row.old is not None and not row.is_equal for row in rows),
        added_lines=sum(row.new is not None and not row.is_equal for row in rows),
        hunks=hunks,
        omitted=omitted,
    )


def _pair(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    """Yield the aligned lines of both sides, without the numbers of labels and registers."""
    masked_old = [_DIGITS.sub(MARK, line) for line in old]
    masked_new = [_DIGITS.sub(MARK, line) for line in new]
    names = _Names()
    i = j = 0
    for start_old, start_new, size in (*align(masked_old, masked_new), (len(old), len(new), 0)):
        yield from _pair_replaced(old[i:start_old], new[j:start_new])
        for k in range(size):
            before, after = old[start_old + k], new[start_new + k]
            is_equal = names.agree(before, after)
            shown = _show(before)
            yield Row(old=shown, new=shown if is_equal else _show_changed(before, after))
        i, j = start_old + size, start_new + size


def _show_changed(old: str, new: str) -> str:
    """Return the new line, with a remark if it would look like the old one."""
    shown = _show(new)
    return shown if shown != _show(old) else f"{shown} (different label or register)"


def _pair_replaced(old: Sequence[str], new: Sequence[str]) -> Iterator[Row]:
    for number in range(max(len(old), len(new))):
        before = _show(old[number]) if number < len(old) else None
        after = _show(new[number]) if number < len(new) else None
        if before is not None and before == after:
            # Only the hidden numbers differ, so show the lines as removed and added.
            yield Row(old=before, new=None)
            yield Row(old=None, new=after)
        else:
            yield Row(old=before, new=after)


def _show(line: str) -> str:
    return line.replace(MARK, "")


class _Names:
    """The one-to-one mapping between the names of both sides."""

    def __init__(self) -> None:
        self._forth: dict[str, str] = {}
        self._back: dict[str, str] = {}

    def agree(self, old: str, new: str) -> bool:
        pairs = list(zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True))
        if all(
            self._forth.get(before, after) == after and self._back.get(after, before) == before
            for before, after in pairs
        ):
            self._forth.update(pairs)
            self._back.update((after, before) for before, after in pairs)
            return True
        return False


def align(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int]]:
    """Return the runs of equal lines as (start in old, start in new, length), in order."""
    first = 0
    while first < min(len(old), len(new)) and old[first] == new[first]:
        first += 1
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    found = [(0, 0, first)] if first else []
    found += _align_middle(old, new, (first, len(old) - last), (first, len(new) - last))
    if last:
        found.append((len(old) - last, len(new) - last, last))
    return found


def _align_middle(
    old: Sequence[str], new: Sequence[str], span_old: tuple[int, int], span_new: tuple[int, int]
) -> Iterator[tuple[int, int, int]]:
    anchors = [*_anchor(old, new, span_old, span_new), (span_old[1], span_new[1])]
    i, j = span_old[0], span_new[0]
    for at_old, at_new in anchors:
        if 0 < (at_old - i) * (at_new - j) <= _MAX_PRODUCT:
            matcher = difflib.SequenceMatcher(None, old[i:at_old], new[j:at_new], autojunk=False)
            for block in matcher.get_matching_blocks():
                if block.size:
                    yield i + block.a, j + block.b, block.size
        if at_old < span_old[1]:
            yield at_old, at_new, 1
        i, j = at_old + 1, at_new + 1


def _anchor(
    old: Sequence[str], new: Sequence[str], span_old: tuple[int, int], span_new: tuple[int, int]
) -> list[tuple[int, int]]:
    """Return the longest series of lines, in the same order, that both spans have exactly once."""
    count_old = Counter(old[slice(*span_old)])
    count_new = Counter(new[slice(*span_new)])
    where = {new[j]: j for j in range(*span_new) if count_new[new[j]] == 1}
    pairs = [
        (i, where[old[i]]) for i in range(*span_old) if count_old[old[i]] == 1 and old[i] in where
    ]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, j) in enumerate(pairs):
        position = bisect.bisect_left(tails, j)
        before.append(ends[position - 1] if position else -1)
        tails[position : position + 1] = [j]
        ends[position : position + 1] = [number]
    chain: list[tuple[int, int]] = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _make_hunks(rows: Sequence[Row]) -> tuple[tuple[Hunk, ...], int]:
    """Return the differences with some context, and the number of lines left out."""
    keep = [False] * len(rows)
    for number, row in enumerate(rows):
        if not row.is_equal:
            first, last = max(number - _CONTEXT, 0), min(number + _CONTEXT + 1, len(rows))
            keep[first:last] = [True] * (last - first)
    hunks: list[Hunk] = []
    part: list[Row] = []
    left, omitted, line_old, line_new = _MAX_ROWS, 0, 1, 1
    start = (1, 1)
    for row, is_kept in zip(rows, keep, strict=True):
        if not is_kept and part:
            hunks.append(Hunk(old_start=start[0], new_start=start[1], rows=tuple(part)))
            part = []
        if is_kept and left:
            start = start if part else (line_old, line_new)
            part.append(row)
            left -= 1
        elif is_kept:
            omitted += not row.is_equal
        line_old += row.old is not None
        line_new += row.new is not None
    if part:
        hunks.append(Hunk(old_start=start[0], new_start=start[1], rows=tuple(part)))
    return tuple(hunks), omitted
