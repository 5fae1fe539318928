"""The tokens of a text, and where its brackets match.

A pass reads its text once, and hands the unit to everything that looks at the text.
"""

from __future__ import annotations

import marshal
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property, lru_cache
from itertools import accumulate, chain, compress, starmap
from operator import attrgetter, not_
from typing import Final, NamedTuple

from kbuild.cxx.lexer import Token, normalize, split_text
from kbuild.cxx.parts import JoinedList, JoinedPartners, JoinedPositions, SeparatePart

_CLOSING: Final = {"(": ")", "[": "]", "{": "}"}
_BRACKETS: Final = frozenset("()[]{}")
_BEFORE_REQUIREMENTS: Final = frozenset(("requires", "&", "|", "(", "=", "!", ",", "return"))
_RAW_STRING: Final = re.compile(r'(?<![\w$])(?:u8|[uUL])?R"')
_ACCESS: Final = frozenset(("public", "private", "protected"))


class _TokenTable(NamedTuple):
    """The tokens of a text; see `SeparatePart`."""

    length: int
    words: list[str]
    starts: list[int]
    directives: list[tuple[str, int]]


def _read_tokens(text: str, *, is_source: bool = False) -> tuple[str, _TokenTable]:
    """Return a text with the usual spelling of operators, and its tokens."""
    words, starts = split_text(text, is_source=is_source)
    usual = text if is_source else normalize(text, words)
    if usual != text:
        text = usual
        words, starts = split_text(text)
    directives = {word for word in set(words) if word[0] == "#"}
    is_directive = list(map(directives.__contains__, words))
    is_code = list(map(not_, is_directive))
    table = _TokenTable(
        length=len(text),
        words=list(compress(words, is_code)),
        starts=list(compress(starts, is_code)),
        directives=[
            *zip(compress(words, is_directive), compress(starts, is_directive), strict=True)
        ],
    )
    return text, table


def read_separate_part(text: str) -> SeparatePart | None:
    """Read whole lines of a preprocessed text.

    Returns:
        The part, or None if it can depend on the rest of the text, or a token has another spelling
        than the usual one.
    """
    if _RAW_STRING.search(text) or "/*" in text or not text.endswith("\n"):
        return None  # the next part can be in a literal or a comment of this one
    usual, table = _read_tokens(text)
    conditionals = [word[1:].lstrip() for word, _ in table.directives if "\n" not in word]
    is_balanced = sum(w.startswith("if") for w in conditionals) == sum(
        w.startswith("endif") for w in conditionals
    )
    if not is_balanced or usual != text:
        return None
    partners = match_words(table.words)
    places = _list_places(table.words)
    if len(partners) != sum(len(places.get(bracket, ())) for bracket in _BRACKETS):
        return None
    encoded = {word: array("I", indices).tobytes() for word, indices in places.items()}
    is_marker = {word: _is_marker(word) for word in {word for word, _ in table.directives}}
    return SeparatePart(
        *(table.length, table.words, table.starts),
        [directive for directive in table.directives if not is_marker[directive[0]]],
        marshal.dumps([directive for directive in table.directives if is_marker[directive[0]]]),
        *(partners, encoded),
    )


def _is_marker(directive: str) -> bool:
    return directive[1:].removeprefix("line").lstrip()[:1].isdigit()


class Unit:
    """The tokens of a text, without directives.

    Attributes:
        text: The text. If it is preprocessed, operators and brackets have their usual spelling.
        words: The tokens.
        starts: The position of each token in the text.
        directives: Line markers, pragmas, and the text that ``cudafe++`` disables.
        partners: The index of the matching bracket, for the index of each bracket that has one.
    """

    def __init__(
        self, text: str, *, is_source: bool = False, parts: Iterable[SeparatePart] = ()
    ) -> None:
        """Read a text.

        Args:
            text: The text.
            is_source: Whether the text is not preprocessed.
            parts: Its consecutive parts, if they are known.
        """
        self._parts: Final = tuple(parts)
        if not self._parts:
            text, table = _read_tokens(text, is_source=is_source)
            self.words: Sequence[str] = table.words
            self.starts: Sequence[int] = table.starts
            self._directives = table.directives
        else:
            self._directives = []
            self.words = JoinedList([part.words for part in self._parts])
            self.starts = JoinedPositions(self._parts)
        self.text: Final = text

    @cached_property
    def directives(self) -> tuple[Token, ...]:
        """See the class."""
        if not self._parts:
            return tuple(starmap(Token, self._directives))
        markers = chain.from_iterable(
            _place(marshal.loads(part.markers), origin)  # noqa: S302 - of this module
            for part, origin in self._list_origins()
        )
        return tuple(sorted((*self.other_directives, *markers), key=attrgetter("start")))

    @cached_property
    def other_directives(self) -> tuple[Token, ...]:
        """The directives without line markers."""
        if not self._parts:
            return tuple(Token(*each) for each in self._directives if not _is_marker(each[0]))
        return tuple(
            chain.from_iterable(
                _place(part.directives, origin) for part, origin in self._list_origins()
            )
        )

    def _list_origins(self) -> Iterator[tuple[SeparatePart, int]]:
        origins = accumulate((part.length for part in self._parts), initial=0)
        return zip(self._parts, origins, strict=False)

    @cached_property
    def partners(self) -> Mapping[int, int]:
        """See the class."""
        return JoinedPartners(self._parts) if self._parts else match_words(self.words)

    @property
    def is_balanced(self) -> bool:
        """Whether every bracket has a partner, and every quotation mark, too."""
        return len(self.partners) == len(self.find(_BRACKETS)) and not self.find("\"'")

    def find_index(self, position: int) -> int:
        """Return the index of the first token at or after a position."""
        if isinstance(self.starts, JoinedPositions):
            return self.starts.bisect(position)
        return bisect_left(self.starts, position)

    def get(self, index: int) -> str:
        """Return the token at an index; empty outside of the text."""
        return self.words[index] if 0 <= index < len(self.words) else ""

    def get_token(self, index: int) -> Token:
        """Return the token at an index with its position."""
        return Token(self.words[index], self.starts[index])

    def get_end(self, index: int) -> int:
        """Return the position after the token at an index."""
        return self.starts[index] + len(self.words[index])

    def list_tokens(self, start: int, end: int | None = None) -> list[Token]:
        """Return the tokens that start in a part of the text."""
        first = self.find_index(start)
        last = len(self.starts) if end is None else self.find_index(end)
        return list(map(Token, self.words[first:last], self.starts[first:last]))

    def list_between(self, first: int, last: int) -> list[Token]:
        """Return the tokens from one index to before another."""
        return list(map(Token, self.words[first:last], self.starts[first:last]))

    def find(self, words: Iterable[str]) -> list[int]:
        """Return the indices of all tokens that are one of the words."""
        words = tuple(words)
        if not self._parts:
            places = self._places
            return sorted(chain.from_iterable(places[word] for word in words if word in places))
        found: list[int] = []
        first = 0
        for part in self._parts:
            encoded = part.places
            indices = array("I", b"".join(encoded[word] for word in words if word in encoded))
            found += [first + index for index in sorted(indices)]
            first += len(part.words)
        return found

    @cached_property
    def vocabulary(self) -> AbstractSet[str]:
        """All tokens of the text, each once."""
        if not self._parts:
            return self._places.keys()
        return frozenset(chain.from_iterable(part.places for part in self._parts))

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """The indices of each token. A pass looks for a dozen sets of words."""
        return _list_places(self.words)

    def find_close(self, position: int) -> int | None:
        """Return the position of the bracket that closes the one at a position."""
        partner = self.partners.get(self.find_index(position))
        return None if partner is None else self.starts[partner]

    def find_head(self, index: int) -> int:
        """Return the index where the declaration or statement with a token starts."""
        words, partners = self.words, self.partners
        while index > 0:
            before = words[index - 1]
            if before in (")", "]") or (before == "}" and self._ends_requirement(index - 1)):
                index = partners.get(index - 1, index - 1)
            elif before in (";", "{", "}", "(", "[") or (
                before == ":" and index > 1 and words[index - 2] in _ACCESS
            ):
                break
            else:
                index -= 1
        return index

    def find_declaration_start(self, index: int) -> int:
        """Return where the declaration or statement starts that a token is in, also in brackets."""
        start = self.find_head(index)
        while self.get(start - 1) in ("(", "["):
            start = self.find_head(start - 1)
        return start

    def find_declaration_end(self, index: int, ends: str = "{;") -> int | None:
        """Return the index after the first of some tokens that is not in brackets."""
        words, partners = self.words, self.partners
        while index < len(words):
            word = words[index]
            if word in ends and not (word == "{" and self.starts_requirement(index)):
                return index + 1
            if word in _CLOSING:
                if index not in partners:
                    return None
                index = partners[index]
            index += 1
        return None

    def starts_requirement(self, brace: int) -> bool:
        """Return whether a brace is that of a requires expression, and not of a function's body."""
        before = self.get(brace - 1)
        if before != ")":
            return before == "requires"
        opening = self.partners.get(brace - 1, 0)
        return self.get(opening - 1) == "requires" and self.get(opening - 2) in _BEFORE_REQUIREMENTS

    def _ends_requirement(self, brace: int) -> bool:
        opening = self.partners.get(brace)
        return opening is not None and self.starts_requirement(opening)


def _place(directives: list[tuple[str, int]], origin: int) -> Iterator[Token]:
    """Yield directives of a part that starts at a position."""
    return (Token(word, origin + start) for word, start in directives)


def _list_places(words: Sequence[str]) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {word: [] for word in set(words)}
    append = {word: indices.append for word, indices in places.items()}
    for index, word in enumerate(words):
        append[word](index)
    return places


def match_words(words: Sequence[str]) -> dict[int, int]:
    """Return the index of the partner of each bracket that has one."""
    partners: dict[int, int] = {}
    opened: list[int] = []
    for index in [index for index, word in enumerate(words) if word in _BRACKETS]:
        word = words[index]
        if word in _CLOSING:
            opened.append(index)
        elif opened and _CLOSING[words[opened[-1]]] == word:
            partners[index] = opened.pop()
            partners[partners[index]] = index
    return partners


@lru_cache(maxsize=1)
def read_unit(text: str) -> Unit:
    """Read a preprocessed text, which is often the same for two architectures."""
    return Unit(text)
