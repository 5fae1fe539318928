"""Ask a compiler where a text uses declarations: it warns about each use of a deprecated one.

The compiler finds what a name, an operator, or a conversion means, also in instances of templates.
Its lines and columns are those of the text that it reads, apart from system headers, in which it
does not warn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from kbuild.cxx.model import Edit
from kbuild.cxx.unit import Unit
from kbuild.values import dataclass

_MARK: Final = "kbuild "
_FILE: Final = "kbuild-text"
_USE: Final = re.compile(
    rf"{_FILE}:(?P<line>\d+):(?P<column>\d+): (?:warning|error): .* is deprecated: "
    rf"{_MARK}(?P<number>\d+)\b"
)
_NEWLINE: Final = re.compile(r"\n")
_PLACE: Final = re.compile(r".*?: (?:warning|error): ")
_CONTEXT: Final = re.compile(r".*?: (?:In |At )")
_INSTANCE: Final = re.compile(r"\b[Ii]n instantiation of ")
_OWN_MARKER: Final = re.compile(r'# \d+(?: "(?:\\.|[^"\\\n])*"(?: [12])*)?')


@dataclass(frozen=True, slots=True)
class Use:
    """A place where a text uses a function or a variable.

    Attributes:
        number: The number of what is used in the list of what was marked.
        position: The position in the text. gcc names the parenthesis of a call, and the name of
            what is not called; clang always names the name.
        is_instance: Whether the compiler found it in an instance of a template.
    """

    number: int
    position: int
    is_instance: bool


@dataclass(frozen=True, slots=True)
class Mistake:
    """A use that is wrong, at a position of the text."""

    position: int
    message: str
    is_error: bool = True


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text in which declarations are marked, and where its parts come from.

    Attributes:
        text: The text.
        parts: The start of each part in the text and in the original, and its length.
    """

    text: str
    parts: tuple[tuple[int, int, int], ...]

    def find_original(self, line: int, column: int) -> int | None:
        """Return the position in the original of a line and a column, which count from 1."""
        starts = _list_lines(self.text)
        if line >= len(starts):
            return None
        start, end = starts[line - 1 : line + 1]
        content = self.text[start:end].encode(errors="surrogateescape")
        place = start + len(content[: column - 1].decode(errors="surrogateescape"))
        for first, original, length in self.parts:
            if first <= place < first + length:
                return original + place - first
        return None


@lru_cache(maxsize=1)
def _list_lines(text: str) -> list[int]:
    """Return where each line starts, and the end of the text. Logs name many lines of one text."""
    return [0, *(newline.end() for newline in _NEWLINE.finditer(text)), len(text)]


def mark_declarations(
    code: Unit, edits: Iterable[Edit], places: Sequence[tuple[int, str]]
) -> MarkedText:
    """Return a text in which some declarations are deprecated, with markers of its own lines.

    Args:
        code: The text.
        edits: What else changes.
        places: Where the attributes are, and what is in front of each.
    """
    marks = (
        Edit(start=start, end=start, text=f'{text}__attribute__((deprecated("{_MARK}{number}"))) ')
        for number, (start, text) in enumerate(places)
    )
    markers = (
        Edit(start=each.start, end=each.end, text=_FILE)
        for each in code.directives
        if _OWN_MARKER.fullmatch(each.text.rstrip())
    )
    return _render(code.text, sorted((*edits, *marks, *markers), key=lambda e: (e.start, e.end)))


def _render(text: str, edits: list[Edit]) -> MarkedText:
    result: list[str] = []
    parts: list[tuple[int, int, int]] = []
    size = position = 0
    line = 1
    for edit in [*edits, Edit(start=len(text), end=len(text), text="")]:
        if edit.start < position:
            continue
        line += text.count("\n", position, edit.start)
        new = f'# {line + 1} "{_FILE}"' if edit.text == _FILE else edit.text
        line += new.count("\n")
        parts.append((size, position, edit.start - position))
        result += (text[position : edit.start], new)
        size += edit.start - position + len(new)
        position = edit.end
    return MarkedText("".join(result), tuple(parts))


def read_uses(log: str, marked: MarkedText) -> Iterator[Use]:
    """Yield the uses that a compiler reports."""
    lines = log.splitlines()
    is_instance = False  # gcc says it before
    for number, line in enumerate(lines):
        found = _USE.match(line)
        if found is None:
            if _CONTEXT.match(line):
                is_instance = _INSTANCE.search(line) is not None
            continue
        position = marked.find_original(int(found["line"]), int(found["column"]))
        if position is not None:
            is_later = _is_followed_by_instance(lines, number + 1)  # clang says it after
            yield Use(int(found["number"]), position, is_instance or is_later)


def _is_followed_by_instance(lines: list[str], start: int) -> bool:
    for line in lines[start:]:
        if _PLACE.match(line) or _CONTEXT.match(line):
            return False
        if ": note: in instantiation of " in line:
            return True
    return False
