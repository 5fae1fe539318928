"""Split C++ text into tokens."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import accumulate, compress
from typing import Final, NamedTuple

# The alternatives are in the order of how often they occur. `>>` is two tokens, because it can
# close two template argument lists. The prefix of a literal is a token of its own. Half of the
# pieces would be space if the space behind a token did not belong to its piece.
_ALTERNATIVES: Final = r"""
      (?:
          [A-Za-z_$]\w*
        | [][(){{}},;*&~?!%^|+=]
        | ::
        | \.?\d(?:[eEpP][+-]|[\w.]|'(?=\w))*
        | "(?:\\.|[^"\\\n])*"
        | '(?:\\.|[^'\\\n])+'
        | ->|\.\.\.|<<<|<<|<=|>=
      ){space}
    | [ \t\n\r\f\v]+
    | {directive}
    | //(?:\\\r?\n|[^\n])* | /\*.*?\*/ | \\\r?\n
    | .
"""
_SPACE: Final = " \t\n\r\f\v"
_BEHIND: Final = r"[ \t\n\r\f\v]*"
_DIRECTIVE: Final = r"\#[^\n]*"
_PREPROCESSED: Final = re.compile(
    _ALTERNATIVES.format(space=_BEHIND, directive=_DIRECTIVE), re.VERBOSE | re.DOTALL
)
_SOURCE: Final = re.compile(
    _ALTERNATIVES.format(
        space=_BEHIND,
        directive=r'\#(?: \\\r?\n | "(?:\\.|[^"\\\n])*" | /\*.*?\*/ | //[^\n]* | [^\n] )*',
    ),
    re.VERBOSE | re.DOTALL,
)
_RAW_STRING: Final = re.compile(r'"([^()\\\s]{0,16})\(.*?\)\1"', re.DOTALL)
_CONDITIONAL: Final = re.compile(r"# ?(?:if|endif)\b")
_DISABLED: Final = ("#if 0", "# if 0")
_RAW_PREFIXES: Final = frozenset(("R", "LR", "uR", "UR", "u8R"))


# Other spellings of operators and brackets ([lex.digraph]), with the usual ones.
_ALTERNATIVE_WORDS: Final = {
    "and": "&&",
    "and_eq": "&=",
    "bitand": "&",
    "bitor": "|",
    "compl": "~",
    "not": "!",
    "not_eq": "!=",
    "or": "||",
    "or_eq": "|=",
    "xor": "^",
    "xor_eq": "^=",
}
_DIGRAPHS: Final = {"<%": "{", "%>": "}", "<:": "[", ":>": "]"}
# Where digraphs can be. `<::` is one only in front of `:` or `>`.
_CAN_BE_DIGRAPH: Final = re.compile(r"<%|%>|:>|<:(?!:(?![:>]))")


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
        return self.text[0].isalpha() or self.text[0] in "_$"


class Lexemes(NamedTuple):
    """The tokens of a text in order, with the position of each."""

    words: list[str]
    starts: list[int]


def split_text(text: str, *, is_source: bool = False) -> Lexemes:
    """Split a text into tokens. Directives are tokens; space and comments are not.

    In a preprocessed text, what is between ``#if 0`` and ``#endif`` is one token with them:
    ``cudafe++`` disables device code in this way.

    Args:
        text: The text.
        is_source: Whether the text is not preprocessed. Then lines can continue on the next one,
            and the text between ``#if 0`` and ``#endif`` belongs to the code.
    """
    pieces = _split(text, _SOURCE) if is_source else _join_disabled(_split(text, _PREPROCESSED))
    starts = accumulate(map(len, pieces), initial=0)
    tokens = {piece: _read_token(piece) for piece in set(pieces)}  # most pieces occur often
    words = list(map(tokens.__getitem__, pieces))
    return Lexemes(list(compress(words, words)), list(compress(starts, words)))


def normalize(text: str, words: Iterable[str]) -> str:
    """Return a preprocessed text in which operators and brackets have their usual spelling.

    All positions stay the same.

    Args:
        text: The text.
        words: Its tokens.
    """
    if _ALTERNATIVE_WORDS.keys().isdisjoint(words) and not _CAN_BE_DIGRAPH.search(text):
        return text
    pattern = _ALTERNATIVES.format(space="", directive=_DIRECTIVE)
    pieces = _split(text, re.compile(pattern, re.VERBOSE | re.DOTALL))
    return "".join(map(_normalize_piece, _join_digraphs(pieces)))


def _normalize_piece(piece: str) -> str:
    usual = _ALTERNATIVE_WORDS.get(piece) or _DIGRAPHS.get(piece)
    return piece if usual is None else usual.ljust(len(piece))


def _join_digraphs(pieces: list[str]) -> list[str]:
    """Return the pieces with digraphs as one piece each."""
    joined: list[str] = []
    index = 0
    while index < len(pieces):
        piece = pieces[index]
        following = pieces[index + 1] if index + 1 < len(pieces) else ""
        # `<::` is `<` and `::`, unless `:` or `>` follows ([lex.pptoken]).
        if piece == "<" and following == "::":
            behind = pieces[index + 2] if index + 2 < len(pieces) else ""
            if behind == ">":
                joined += ["<:", ":>"]
                index += 3
            else:
                joined += ["<:", ":"] if behind == ":" else [piece, following]
                index += 2
        elif piece + following[:1] in _DIGRAPHS:
            joined += [piece + following[:1], *filter(None, (following[1:],))]  # `:>=` is `] =`
            index += 2
        else:
            joined.append(piece)
            index += 1
    return joined


def read_raw_string(text: str, quote: int) -> int | None:
    """Return the position after a raw string whose quotation mark is at a position; else None."""
    literal = _RAW_STRING.match(text, quote)
    return None if literal is None else literal.end()


def _read_token(piece: str) -> str:
    """Return the token of a piece; empty for space and comments."""
    if piece[0] <= " " or piece[:2] in ("//", "/*", "\\\n", "\\\r"):
        return ""
    return piece if piece[0] == "#" else piece.rstrip(_SPACE)


def _join_disabled(pieces: list[str]) -> list[str]:
    """Return the pieces with each ``#if 0``, its ``#endif``, and what is between them as one.

    ``cudafe++`` nests them: a disabled kernel can contain a disabled lambda expression.
    """
    conditionals = {piece for piece in set(pieces) if _CONDITIONAL.match(piece)}
    if conditionals.isdisjoint(_DISABLED):
        return pieces
    joined: list[str] = []
    open_: list[int] = []  # the indices of the conditionals around
    end = 0
    for index in [index for index, piece in enumerate(pieces) if piece in conditionals]:
        if "endif" not in pieces[index]:
            open_.append(index)
            continue
        start = open_.pop() if open_ else end
        if pieces[start] in _DISABLED and not any(pieces[each] in _DISABLED for each in open_):
            joined += pieces[end:start]
            joined.append("".join(pieces[start : index + 1]))
            end = index + 1
    return joined + pieces[end:]


def _split(text: str, pattern: re.Pattern[str]) -> list[str]:
    """Return consecutive pieces that make up the text."""
    pieces: list[str] = []
    position = candidate = 0
    while (quote := text.find('R"', candidate) + 1) > 0:
        candidate = quote
        line = max(text.rfind("\n", 0, quote) + 1, position)
        before = pattern.findall(text, line, quote)
        # In another literal, there is a quotation mark without a partner before this one.
        if before[-1] not in _RAW_PREFIXES or '"' in before:
            continue
        end = read_raw_string(text, quote)
        if end is not None:
            pieces += pattern.findall(text, position, quote)
            pieces.append(text[quote:end])
            position = candidate = end
    return pieces + pattern.findall(text, position)
