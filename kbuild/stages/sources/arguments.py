"""Drop arguments in statements of host functions that cannot change device code."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from kbuild.cxx.places import starts_captures
from kbuild.cxx.unit import match_words

_DIGITS_OF_INT: Final = 10


def list_names(words: Sequence[str]) -> Iterator[str]:
    """Yield the names. Members of objects have a dot in front, because objects stand for them."""
    before = ""
    for word in words:
        if word.isidentifier():
            yield f".{word}" if before in (".", "->") else word
        before = word


def drop_numbers(words: tuple[str, ...], can_instantiate: Callable[[str], bool]) -> tuple[str, ...]:
    """Replace the numbers that a statement passes to a function, such as those of lines.

    Only their types matter if the function itself instantiates nothing. A 0 can be a pointer.
    """
    partners = match_words(list(words))
    opening = words.index("(") if "(" in words else 0
    callee = words[:opening]
    is_name = bool(callee) and all(
        word == "::" if index % 2 else word.isidentifier() for index, word in enumerate(callee)
    )
    if not is_name or any(map(can_instantiate, callee)) or partners.get(opening) != len(words) - 1:
        return words
    result = list(words)
    index = opening + 1
    while index < len(words) - 1:
        is_argument = words[index - 1] in ("(", ",") and words[index + 1] in (",", ")")
        is_number = _is_int(words[index])
        if is_argument and is_number:
            result[index] = "1"
        index = max(partners.get(index, index), index) + 1
    return tuple(result)


def _is_int(word: str) -> bool:
    return word.isdecimal() and word[0] != "0" and len(word) < _DIGITS_OF_INT


def drop_configurations(
    words: Sequence[str], can_instantiate: Callable[[str], bool]
) -> tuple[str, ...]:
    """Drop the launch configurations, which do not take part in the deduction of types."""
    partners = match_words(list(words))
    parts: list[str] = []
    index = 0
    while index < len(words):
        parts.append(words[index])
        index += 1
        if parts[-1] != "<<<":
            continue
        stop = index
        while stop < len(words) and tuple(words[stop : stop + 4]) != (">", ">", ">", "("):
            stop = max(partners.get(stop, stop), stop) + 1
        inner = words[index:stop]
        if not any(map(can_instantiate, list_names(inner))) and not any(find_lambdas(inner)):
            index = stop
    return tuple(parts)


def find_lambdas(words: Sequence[str]) -> Iterator[int]:
    """Yield the places of brackets that start lambda expressions."""
    for index, (word, after) in enumerate(pairwise((*words, ""))):
        if word == "[" and starts_captures(words[index - 1] if index else "", after):
            yield index
