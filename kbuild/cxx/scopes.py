"""The scopes around positions in preprocessed text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from kbuild.cxx.tokens import (
    SKIPPED,
    Token,
    drop_attributes,
    drop_template_headers,
    find_close,
    list_tokens_before,
)

# A block without braces and literals in it is skipped at once.
_BRACE: Final = re.compile(rf"{SKIPPED} | \{{[^{{}}\"'#]*\}} | [{{}}]", re.VERBOSE | re.DOTALL)
_BEFORE_REQUIREMENTS: Final = ("requires", "&", "|", "(", "=", "!", ",", "return")
_LONGEST_REQUIREMENT: Final = 4000  # characters
_CLASS_KEYS: Final = frozenset({"class", "struct", "union", "enum"})


@dataclass(frozen=True, slots=True)
class Scope:
    """An open brace around a position.

    Attributes:
        brace: The position of the brace.
        head: The position where the declaration or statement with the brace starts.
        kind: What the braces enclose. ``language`` is ``extern "C"``.
        name: The name of the namespace or class; empty without one.
    """

    brace: int
    head: int
    kind: Literal["namespace", "language", "class", "block"]
    name: str = ""


class Scopes:
    """The open braces around each of some positions, from the outside to the inside."""

    def __init__(self, text: str, positions: Iterable[int]) -> None:
        """Scan the text once, up to the last position."""
        self._text = text
        self._braces = _list_open_braces(text, sorted(set(positions)))
        self._scopes: dict[int, Scope] = {}

    def around(self, position: int) -> list[Scope]:
        """Return the scopes around one of the positions."""
        return [self._read(brace) for brace in self._braces[position]]

    def name_namespace(self, position: int) -> tuple[str, ...]:
        """Return the names of the namespaces around a position; unnamed ones have empty names."""
        names: list[str] = []
        for scope in self.around(position):
            if scope.kind == "namespace":
                names += scope.name.split("::")
        return tuple(names)

    def _read(self, brace: int) -> Scope:
        if brace not in self._scopes:
            self._scopes[brace] = _read_scope(self._text, brace)
        return self._scopes[brace]


def _list_open_braces(text: str, positions: list[int]) -> dict[int, tuple[int, ...]]:
    """Return the open braces around each position."""
    found: dict[int, tuple[int, ...]] = {}
    opened: list[int] = []
    remaining = iter(positions)
    position = next(remaining, None)
    for match in _BRACE.finditer(text):
        if position is None:
            break
        start, end = match.span()
        word = text[start]
        while position is not None and position <= start:
            found[position] = tuple(opened)
            position = next(remaining, None)
        if word == "{" and end > start + 1:
            while position is not None and position < end:
                found[position] = (*opened, start)
                position = next(remaining, None)
        elif word == "{":
            opened.append(start)
        elif word == "}" and opened:
            opened.pop()
    while position is not None:
        found[position] = tuple(opened)
        position = next(remaining, None)
    return found


def list_head(text: str, position: int) -> list[Token]:
    """Return the tokens of the declaration or statement from its start up to a position."""
    head: list[Token] = []
    depth = 0
    for token in list_tokens_before(text, position):
        if token.text in (")", "]") or (token.text == "}" and depth):
            depth += 1
        elif token.text in ("(", "[") or (token.text == "{" and depth):
            if depth == 0:
                break
            depth -= 1
        elif depth == 0 and token.text == "}" and _ends_requirement(text, token):
            depth += 1
        elif (depth == 0 and token.text in (";", "{", "}")) or (
            depth == 0 and token.text == ":" and head and _is_access(text, token)
        ):
            break
        head.append(token)
    head.reverse()
    return head


def starts_requirement(text: str, start: int, brace: int) -> bool:
    """Return whether a brace is that of a requires expression, and not of a function's body."""
    found = text.rfind("requires", start, brace)
    if found < 0:
        return False
    parameters = found + len("requires")
    if not text[parameters:brace].strip():
        return True
    opening = text.find("(", parameters, brace)
    close = find_close(text, opening) if opening >= 0 else None
    if close is None or text[close + 1 : brace].strip():
        return False
    before = next(list_tokens_before(text, found), None)
    return before is not None and before.text in _BEFORE_REQUIREMENTS


def _ends_requirement(text: str, brace: Token) -> bool:
    """Return whether a closing brace is that of a requires expression."""
    window = max(0, brace.start - _LONGEST_REQUIREMENT)
    found = text.rfind("requires", window, brace.start)
    opening = text.find("{", found) if found >= 0 else -1
    return (
        0 <= opening < brace.start
        and starts_requirement(text, found, opening)
        and find_close(text, opening) == brace.start
    )


def _is_access(text: str, colon: Token) -> bool:
    before = next(list_tokens_before(text, colon.start), None)
    return before is not None and before.text in ("public", "private", "protected")


def _read_scope(text: str, brace: int) -> Scope:
    tokens = list_head(text, brace)
    head = tokens[0].start if tokens else brace
    tokens = drop_attributes(drop_template_headers(tokens))
    words = [token.text for token in tokens]
    if words[:1] == ["inline"]:
        words = words[1:]
    if words[:1] == ["namespace"]:
        name = "".join(word for word in words[1:] if word != "inline")
        return Scope(brace, head, "namespace", name)
    if words[:1] == ["extern"] and words[-1].startswith('"'):
        return Scope(brace, head, "language")
    while words[:1] in (["typedef"], ["static"], ["const"], ["constexpr"]):
        words = words[1:]
    if words and words[0] in _CLASS_KEYS and "(" not in words[: _find_base(words)]:
        return Scope(brace, head, "class", words[1] if len(words) > 1 else "")
    return Scope(brace, head, "block")


def _find_base(words: list[str]) -> int:
    return words.index(":") if ":" in words else len(words)
