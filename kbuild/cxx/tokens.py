"""Split preprocessed C++ text into tokens, and match brackets."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

# Disabled text of cudafe++, and other directives: line markers and pragmas.
DIRECTIVE: Final = r"(?: \#[ ]?if[ ]0\n.*?\n\#[ ]?endif[^\n]* | \#[^\n]* )"
_PATTERN: Final = rf"""
      (?:u8|[uUL])?R"(?P<raw>[^()\\\s]{{0,16}})\(.*?\)(?P=raw)"
    | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
    | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+'
    | [A-Za-z_$]\w*
    | \d(?:[\w.]|'(?=\w))*
    | \[\[
    | \]\]
    | ::
    | ->
    | \.\.\.
    | \s+
    | {DIRECTIVE}
    | .
"""
TOKEN: Final = re.compile(_PATTERN, re.VERBOSE | re.DOTALL)
BYTES_TOKEN: Final = re.compile(_PATTERN.encode(), re.VERBOSE | re.DOTALL)

# The same literals for searches: each alternative starts with a literal character, so that the
# search runs from one such character to the next.
LITERAL: Final = r"""
      "(?:(?<=\bR")|(?<=\b[uUL]R")|(?<=\bu8R"))(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"
    | "(?:\\.|[^"\\\n])*"
    | '(?:(?<=\W')|(?<=\b[uUL]')|(?<=\bu8'))(?:\\.|[^'\\\n])+'
"""
SKIPPED: Final = f"{LITERAL} | {DIRECTIVE}"
_BRACKET: Final = re.compile(rf"{SKIPPED} | [()\[\]{{}}]", re.VERBOSE | re.DOTALL)
ATTRIBUTES: Final = frozenset(
    {"__attribute__", "__attribute", "__declspec", "alignas", "__kbuild_launch_bounds__"}
)
_OPENING: Final = {")": "(", "]": "[", "}": "{"}
_LONG_LINE: Final = 4096
_STRING_END: Final = ('"', "'")


class Token(NamedTuple):
    """A token and its position."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after the token."""
        return self.start + len(self.text)

    @property
    def is_word(self) -> bool:
        """Whether it is an identifier or a keyword."""
        return (self.text[0].isalpha() or self.text[0] in "_$") and self.text[-1] not in _STRING_END


def list_tokens(text: str, start: int = 0, end: int | None = None) -> Iterator[Token]:
    """Yield the tokens of a part of the text, without space and directives."""
    for found in TOKEN.finditer(text, start, len(text) if end is None else end):
        word = found[0]
        if word[0].isspace() or word[0] == "#":
            continue
        if word in ("[[", "]]"):
            yield Token(word[0], found.start())
            yield Token(word[0], found.start() + 1)
        else:
            yield Token(word, found.start())


def list_tokens_before(text: str, position: int) -> Iterator[Token]:
    """Yield the tokens before a position, the nearest first.

    The text is read line by line. A raw string of several lines is not recognized.
    """
    end = position
    while end > 0:
        start = text.rfind("\n", 0, end) + 1
        if end - start > _LONG_LINE:
            tokens = _list_line(text, start)
            count = bisect_left(tokens, end, key=lambda token: token.start)
            yield from (tokens[index] for index in range(count - 1, -1, -1))
        elif not text[start:end].lstrip().startswith("#"):
            yield from reversed(list(list_tokens(text, start, end)))
        end = start - 1


@lru_cache(maxsize=4)
def _list_line(text: str, start: int) -> list[Token]:
    """Return the tokens of a long line, unless it is a directive.

    A macro expands to one line, which can have megabytes with hundreds of launches.
    """
    end = text.find("\n", start)
    if text[start : start + _LONG_LINE].lstrip().startswith("#"):
        return []
    return list(list_tokens(text, start, len(text) if end < 0 else end))


def find_close(text: str, position: int) -> int | None:
    """Return the position of the bracket that closes the one at ``position``."""
    depth = 0
    for found in _BRACKET.finditer(text, position):
        if found[0] in "([{":
            depth += 1
        elif found[0] in ")]}":
            depth -= 1
            if depth <= 0:
                return found.start() if depth == 0 else None
    return None


def match_brackets(tokens: list[Token]) -> dict[int, int]:
    """Return the index of the partner of each bracket."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(tokens):
        if token.text in ("(", "[", "{"):
            opened.append(index)
        elif opened and tokens[opened[-1]].text == _OPENING.get(token.text):
            partners[index] = opened.pop()
            partners[partners[index]] = index
    return partners


def match_angle(tokens: list[Token], index: int) -> int | None:
    """Return the index of the ``>`` that closes the ``<`` at ``index``."""
    numbers: set[str] = set()  # the parameters of a template that are not types
    is_template = index > 0 and tokens[index - 1].text == "template"
    depth = nesting = 0
    for current in range(index, len(tokens)):
        word = tokens[current].text
        if is_template and depth == 1 and _names_number(tokens, current):
            numbers.add(word)
        if word in ("(", "[", "{"):
            nesting += 1
        elif word in (")", "]", "}"):
            nesting -= 1
            if nesting < 0:
                return None
        elif nesting == 0 and word == "<":
            before = tokens[current - 1].text if current > index else ""
            is_comparison = before in numbers or before == ")" or before[:1].isdigit()
            depth += not is_comparison
        elif nesting == 0 and word == ">":
            depth -= 1
            if depth == 0:
                return current
        elif nesting == 0 and word == ";":
            return None
    return None


def _names_number(tokens: list[Token], index: int) -> bool:
    """Return whether a token of a template's parameters is the name of one that is not a type."""
    before, after = tokens[index - 1], tokens[index + 1 : index + 2]
    return (
        tokens[index].is_word
        and before.is_word
        and before.text not in ("class", "typename")
        and bool(after)
        and after[0].text in (",", "=", ">")
    )


def split_at_commas(tokens: list[Token]) -> list[list[Token]]:
    """Split a list of parameters or arguments at its commas; empty if there are no tokens."""
    parts: list[list[Token]] = [[]]
    nesting = angles = 0
    for index, token in enumerate(tokens):
        word = token.text
        if word in ("(", "[", "{"):
            nesting += 1
        elif word in (")", "]", "}"):
            nesting -= 1
        elif nesting == 0 and word == "<":
            angles += match_angle(tokens, index) is not None
        elif nesting == 0 and word == ">":
            angles = max(angles - 1, 0)
        if word == "," and nesting == 0 and angles == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts if tokens else []


def drop_template_headers(tokens: list[Token]) -> list[Token]:
    """Return the tokens after ``template <...>``."""
    while len(tokens) > 1 and tokens[0].text == "template" and tokens[1].text == "<":
        close = match_angle(tokens, 1)
        if close is None:
            break
        tokens = tokens[close + 1 :]
    return tokens


def drop_attributes(tokens: list[Token]) -> list[Token]:
    """Return the tokens without attributes."""
    partners = match_brackets(tokens)
    kept: list[Token] = []
    index = 0
    while index < len(tokens):
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if tokens[index].text in ATTRIBUTES and following == "(":
            index = partners.get(index + 1, index + 1) + 1
        elif tokens[index].text == "[" and following == "[" and index in partners:
            index = partners[index] + 1
        else:
            kept.append(tokens[index])
            index += 1
    return kept


def join(tokens: list[Token]) -> str:
    """Return the tokens on one line, with space where the text had some."""
    parts = []
    for index, token in enumerate(tokens):
        if index and token.start != tokens[index - 1].end:
            parts.append(" ")
        parts.append(token.text)
    return "".join(parts)
