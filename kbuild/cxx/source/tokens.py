"""Split C++ source text, which is not preprocessed, into tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import Final

from kbuild.values import dataclass

_TOKEN: Final = re.compile(
    rb"""
    (?P<space>(?: [\s]+ | \\\r?\n | //(?:\\\r?\n|[^\n])* | /\*.*?\*/ )*)
    (?P<token>
        \#(?: \\\r?\n | "(?:\\.|[^"\\\n])*" | /\*.*?\*/ | //[^\n]* | [^\n] )*
      | (?:u8|[uUL])?R"(?P<raw>[^()\\\s]{0,16})\(.*?\)(?P=raw)"
      | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
      | (?:u8|[uUL])?'(?:\\.|[^'\\\n])+'
      | [A-Za-z_$]\w*
      | \.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*
      | :: | -> | <<< | \#\#
      | .
      | \Z
    )
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE_SPACE: Final = re.compile(
    rb'("(?:\\.|[^"\\\n])*")|(?:\\\r?\n|/\*.*?\*/|//[^\n]*|\s)+', re.DOTALL
)
_CLOSING: Final = {b"(": b")", b"[": b"]", b"{": b"}"}
_OPENING: Final = frozenset(_CLOSING.values())


class UnclearTextError(ValueError):
    """Text whose structure depends on macros or that is not valid C++."""


@dataclass(frozen=True, eq=False)
class SourceTokens:
    """The tokens of a text, without comments. A preprocessor directive is one token.

    Attributes:
        text: The text.
        words: The tokens.
        starts: The position of each token.
        spaced: Whether there is space before each token.
        partners: The index of the matching bracket for each bracket; 0 for other tokens.
    """

    text: bytes
    words: list[bytes]
    starts: list[int]
    spaced: list[bool]
    partners: list[int]

    @cached_property
    def _lines(self) -> list[int]:
        return [match.end() for match in re.finditer(rb"\n", self.text)]

    def find_line(self, index: int) -> int:
        """Return the number of the line on which a token starts."""
        return bisect_right(self._lines, self.starts[index]) + 1


def split_source(text: bytes) -> SourceTokens:
    """Split a text into tokens.

    Raises:
        UnclearTextError: Brackets or quotes do not match.
    """
    words: list[bytes] = []
    starts: list[int] = []
    spaced: list[bool] = []
    partners: list[int] = []
    opened: list[int] = []
    for match in _TOKEN.finditer(text):
        space, word = match.group("space", "token")
        if not word:
            break
        partner = 0
        if word in _CLOSING:
            opened.append(len(words))
        elif word in _OPENING:
            if not opened or _CLOSING[words[opened[-1]]] != word:
                raise UnclearTextError(f"unmatched {word.decode()!r}")
            partner = opened.pop()
            partners[partner] = len(words)
        elif word[:1] == b"#":
            word = _DIRECTIVE_SPACE.sub(lambda m: m[1] or b" ", word).rstrip()
        elif word in (b'"', b"'"):
            raise UnclearTextError("unmatched quote")
        words.append(word)
        starts.append(match.start("token"))
        spaced.append(bool(space))
        partners.append(partner)
    if opened:
        raise UnclearTextError("unmatched bracket")
    return SourceTokens(text=text, words=words, starts=starts, spaced=spaced, partners=partners)
