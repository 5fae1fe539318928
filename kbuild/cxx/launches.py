"""Find launches, ``kernel<<<configuration>>>(arguments)``, in preprocessed text."""

from __future__ import annotations

import re
from typing import Final

from kbuild.cxx.lines import locate
from kbuild.cxx.model import Launch, Span
from kbuild.cxx.tokens import SKIPPED, Token, find_close, list_tokens, list_tokens_before
from kbuild.errors import SourceError

_START: Final = "<<<"
_RAW: Final = re.compile(
    r'R"(?:(?<=\bR")|(?<=\b[uUL]R")|(?<=\bu8R"))([^()\\\s]{0,16})\(.*?\)\1"', re.DOTALL
)
# What matters in a configuration, besides literals.
_CONFIGURATION: Final = re.compile(
    rf"{SKIPPED} | [()\[\]{{}};] | <+=? | ->|>=|>+", re.VERBOSE | re.DOTALL
)
_TEMPLATE_BEFORE: Final = re.compile(r"(?<!\w)[A-Za-z_$]\w*\s*$")
_BRACKETS: Final = {")": "(", "]": "[", "}": "{", ">": "<"}
_CONDITIONS: Final = ("if", "while", "for", "switch", "constexpr")
_STOPPING: Final = frozenset(
    {"return", "else", "do", "case", "goto", "throw", "new", "delete", "sizeof", "alignof", "try"}
    | {"typeid", "co_return", "co_await", "co_yield", "and", "or", "not", "xor", "bitand", "bitor"}
    | {"compl", "if", "while", "for", "switch", "constexpr", "default", "using", "typename"}
    | {"operator"}
)


def find_launches(text: str) -> tuple[Launch, ...]:
    """Find the launches in the order in which they start.

    Raises:
        SourceError: A launch is not understood. The message names its line.
    """
    raw = _find_raw_strings(text)
    found: list[Launch] = []
    position = 0
    while (start := text.find(_START, position)) >= 0:
        position = start + len(_START)
        hidden = next((end for begin, end in raw if begin <= start < end), None)
        if hidden is not None:
            position = hidden
        elif _is_operator(text, start):
            found.append(_read_launch(text, start))
    return tuple(sorted(found, key=lambda launch: (launch.start, -launch.end)))


def _find_raw_strings(text: str) -> list[Span]:
    """Find the raw strings of several lines; in the others, tokens of one line are enough."""
    return [found.span() for found in _RAW.finditer(text) if "\n" in found[0]]


def _is_operator(text: str, position: int) -> bool:
    """Return whether ``<<<`` starts a configuration; it can also be in a literal."""
    line = text.rfind("\n", 0, position) + 1
    if text[line:position].lstrip().startswith("#"):
        return False
    end = text.find("\n", position)
    tokens = list_tokens(text, line, len(text) if end < 0 else end)
    if not any(token.start == position for token in tokens):
        return False
    before = next(list_tokens_before(text, position), None)
    return before is None or before.text != "operator"


def _read_launch(text: str, position: int) -> Launch:
    callee = (_find_callee(text, position), len(text[:position].rstrip()))
    configuration = _find_configuration(text, position)
    opening = _skip_space(text, configuration[1] + len(">>>"))
    close = find_close(text, opening)
    if close is None:
        raise _reject(text, position, "the arguments have no closing parenthesis")
    return Launch(
        start=callee[0],
        end=close + 1,
        callee=callee,
        configuration=configuration,
        arguments=(opening + 1, close),
    )


def _reject(text: str, position: int, problem: str) -> SourceError:
    return SourceError(
        f"{locate(text, position)}: cannot read the launch: {problem}; expected "
        "kernel<<<grid, block, shared_bytes, stream>>>(arguments)"
    )


def _skip_space(text: str, position: int) -> int:
    """Return the position of the next token."""
    token = next(list_tokens(text, position), None)
    return len(text) if token is None else token.start


def _find_configuration(text: str, start: int) -> Span:
    """Find the end of a configuration, the ``>>>`` that an opening parenthesis follows.

    A ``>>>`` can also close template arguments. Then there are more ``<`` than ``>`` before it.
    """
    begin = start + len(_START)
    candidates: list[int] = []
    position, angles = begin, 0
    while (found := _CONFIGURATION.search(text, position)) is not None:
        word = found[0]
        position = found.end()
        if word in ("(", "[", "{"):
            close = find_close(text, found.start())
            if close is None:
                break
            position = close + 1
        elif word in (")", "]", "}", ";"):
            break
        elif word == "<":
            angles += _TEMPLATE_BEFORE.search(text, begin, found.start()) is not None
        elif set(word) == {">"}:
            end = found.end() - len(">>>")
            following = _skip_space(text, found.end())
            if len(word) >= len(">>>") and text[following : following + 1] == "(":
                candidates.append(end)
                if angles <= len(word) - len(">>>"):
                    return begin, end
            angles = max(angles - len(word), 0)
    if not candidates:
        raise _reject(text, start, "there is no '>>>' before an opening parenthesis")
    return begin, candidates[-1]


def _find_callee(text: str, position: int) -> int:
    """Return the position where the postfix expression before ``<<<`` starts."""
    tokens = _Reversed(text, position)
    start = _read_primary(tokens)
    if start is None:
        raise _reject(text, position, "there is no kernel before '<<<'")
    while True:
        token = tokens.peek()
        if token is None or token.text not in (".", "->"):
            return start
        tokens.take()
        inner = _read_primary(tokens)
        if inner is None:
            raise _reject(text, position, f"there is no expression before '{token.text}'")
        start = inner


class _Reversed:
    """The tokens before a position, the nearest first."""

    def __init__(self, text: str, position: int) -> None:
        self._tokens = list_tokens_before(text, position)
        self._next = next(self._tokens, None)

    def peek(self) -> Token | None:
        return self._next

    def take(self) -> Token | None:
        token = self._next
        self._next = next(self._tokens, None)
        return token

    def skip(self, opening: str, closing: str) -> Token | None:
        """Take the tokens back to the bracket that opens the next one; return this bracket."""
        depth = nesting = 0
        while nesting >= 0 and (token := self.take()) is not None:
            if token.text == ";" and nesting == 0 and opening == "<":
                break
            if opening == "<" and token.text in (")", "]", "}"):
                nesting += 1
            elif opening == "<" and token.text in ("(", "[", "{"):
                nesting -= 1
            elif nesting == 0 and token.text == closing:
                depth += 1
            elif nesting == 0 and token.text == opening:
                depth -= 1
                if depth == 0:
                    return token
        return None


def _read_primary(tokens: _Reversed) -> int | None:
    """Take a name, or a parenthesized expression, with calls and subscripts after it."""
    start: int | None = None
    while (token := tokens.peek()) is not None:
        opening: Token | None = None
        if token.is_word and token.text not in _STOPPING:
            return _read_name(tokens, token)
        if token.text in _BRACKETS:
            opening = tokens.skip(_BRACKETS[token.text], token.text)
        before = tokens.peek()
        is_condition = start is not None and before is not None and before.text in _CONDITIONS
        if opening is None or is_condition:
            break
        if token.text in (")", "]"):
            start = opening.start
        elif before is None or not before.is_word:  # a block, or a comparison
            break
    return start


def _read_name(tokens: _Reversed, name: Token) -> int:
    """Take a name with its qualifiers."""
    start = name.start
    tokens.take()
    while (token := tokens.peek()) is not None:
        if token.text == "template":
            tokens.take()
        elif token.text == "::":
            tokens.take()
            start = token.start
            before = tokens.peek()
            if before is not None and before.text == ">":
                before = tokens.peek() if tokens.skip("<", ">") is not None else None
            if before is None or not before.is_word or before.text in _STOPPING:
                return start
            tokens.take()
            start = before.start
        else:
            return start
    return start
