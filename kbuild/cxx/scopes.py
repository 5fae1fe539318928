"""The scopes around positions in preprocessed text."""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import lru_cache
from typing import Final, Literal

from kbuild.cxx.tokens import (
    DIRECTIVE,
    LITERAL,
    Token,
    drop_attributes,
    drop_template_headers,
    find_close,
    list_tokens_before,
)
from kbuild.values import dataclass

# Directives with the text between them, and a block, are skipped at once if there are no braces and
# literals in them.
_PLAIN: Final = r"[^{}\"'#]*"
_BRACE: Final = re.compile(
    rf"{DIRECTIVE}(?:{_PLAIN}{DIRECTIVE})* | {LITERAL} | \{{{_PLAIN}\}} | [{{}}]",
    re.VERBOSE | re.DOTALL,
)
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
        name: The name of the namespace or class; empty if it has no name.
    """

    brace: int
    head: int
    kind: Literal["namespace", "language", "class", "block"]
    name: str = ""


class Scopes:
    """The open braces around positions in a text, from the outside to the inside."""

    def __init__(self, text: str) -> None:
        """Scan the text once."""
        self._text = text
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._parents: list[int] = []
        self._scan()
        self._scopes: dict[int, Scope] = {}

    def _scan(self) -> None:
        """List all pairs of braces, with the index of the pair around each of them."""
        starts, ends, parents = self._starts, self._ends, self._parents
        text = self._text
        current = -1
        for match in _BRACE.finditer(text):
            start, end = match.span()
            word = text[start]
            if word == "{":
                starts.append(start)
                parents.append(current)
                is_whole = end > start + 1
                ends.append(end - 1 if is_whole else len(text))
                if not is_whole:
                    current = len(starts) - 1
            elif word == "}" and current >= 0:
                ends[current] = start
                current = parents[current]

    def around(self, position: int) -> list[Scope]:
        """Return the scopes around a position."""
        index = bisect_left(self._starts, position) - 1
        found = []
        while index >= 0:
            if self._ends[index] >= position:
                found.append(self._read(self._starts[index]))
            index = self._parents[index]
        return found[::-1]

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


@lru_cache(maxsize=2)
def find_scopes(text: str) -> Scopes:
    """Return the scopes of a text. A pass needs them several times."""
    return Scopes(text)


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
