"""Give the tokens of preprocessed text the columns that they have in their files.

Preprocessors keep lines, but not the columns behind a macro or a comment. Compilers show the line
of the file that a line marker names, and put a caret below the column of the text that they read.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Final

from kbuild.cxx.lexer import Token, split_text
from kbuild.cxx.lines import Location, locate
from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit

_BRACKETS: Final = frozenset("()[]{},;")


def restore_columns(
    unit: Unit, edits: Iterable[Edit], read_lines: Callable[[str], list[str]]
) -> Iterator[Edit]:
    """Yield insertions after which each token is in its column.

    Args:
        unit: The preprocessed text.
        edits: What else changes in the text. What follows a change also gets its column back.
        read_lines: Returns the lines of a file, as a line marker spells its name; none if it cannot
            be read.
    """
    ends = sorted(edit.end for edit in edits)
    starts = [*(marker.start for marker in unit.directives), len(unit.text)]
    for marker, stop in zip(unit.directives, starts[1:], strict=True):
        if not marker.text.startswith("# "):
            continue
        start = min(marker.end + 1, stop)
        place = locate(unit.text, start)
        lines = [] if place.is_system else read_lines(place.file)
        for number, (first, last) in enumerate(_list_lines(unit.text, start, stop), place.line):
            if 0 < number <= len(lines):
                changes = ends[bisect_right(ends, first - 1) : bisect_right(ends, last)]
                line = Location(place.file, number, place.flags)
                yield from _restore_line(unit, (first, last), lines[number - 1], line, changes)


def describe_place(unit: Unit, position: int, read_lines: Callable[[str], list[str]]) -> str:
    """Return the file, the line, and the column of a token, as compilers write them.

    Without the file, there is no column.
    """
    place = locate(unit.text, position)
    lines = read_lines(place.file)
    if not 0 < place.line <= len(lines):
        return str(place)
    first = unit.find_index(unit.text.rfind("\n", 0, position) + 1)
    end = unit.text.find("\n", position)
    last = unit.find_index(len(unit.text) if end < 0 else end)
    columns = _find_columns(lines[place.line - 1], unit.words[first:last])
    return f"{place}:{columns[unit.find_index(position) - first] + 1}"


def write_start(place: Location, column: int) -> str:
    """Return what comes before a token, so that compilers find it at a place."""
    return f"\n{place.marker}\n{' ' * column}"


def _list_lines(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    while start < stop:
        end = text.find("\n", start, stop)
        end = stop if end < 0 else end
        yield start, end
        start = end + 1


def _restore_line(
    unit: Unit, span: tuple[int, int], source: str, place: Location, changes: list[int]
) -> Iterator[Edit]:
    """Yield the insertions for one line of the text."""
    first, last = span
    if not changes and unit.text[first:last].rstrip() == source.rstrip():
        return
    index, end = unit.find_index(first), unit.find_index(last)
    columns = _find_columns(source, unit.words[index:end])
    shift = 0  # by which the compiler's columns differ from those of the preprocessed text
    done = first - 1  # before which all changes are made up for
    before: Token | None = None
    for token, column in zip(unit.list_between(index, end), columns, strict=True):
        is_changed = any(done < change <= token.start for change in changes)
        is_wrong = is_changed or column - (token.start - first) != shift
        if is_wrong and (before is None or _can_divide(before, token)):
            yield Edit(start=token.start, end=token.start, text=write_start(place, column))
            shift = column - (token.start - first)
            done = token.start
        before = token


def _can_divide(before: Token, token: Token) -> bool:
    """Return whether space between two tokens is harmless: ``!=`` and ``u8"x"`` are two each."""
    is_apart = before.end < token.start
    return is_apart or before.text in _BRACKETS or token.text in _BRACKETS


def _find_columns(source: str, words: Sequence[str]) -> list[int]:
    """Return the column of each word in a line of a source; for words of a macro, the macro's."""
    found, starts = split_text(source, is_source=True)
    columns = [len(source[:start].encode(errors="surrogateescape")) for start in starts]
    result: list[int] = []
    matcher = SequenceMatcher(None, found, words, autojunk=False)
    for kind, first, last, start, stop in matcher.get_opcodes():
        if kind == "equal":
            result += columns[first:last]
        elif stop > start:
            macro = first if first < last or not first else first - 1
            result += [columns[macro] if columns else 0] * (stop - start)
    return result
