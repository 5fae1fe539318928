"""Sentences with short forms of the C++ names that they contain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from kbuild.demangle.names import mask_operators, scan_brackets
from kbuild.demangle.short_names import shorten_names

# Longer words are names.
_LONGEST_WORD: Final = 120
# Limits for forged names: their length, and the number of brackets that nothing closes.
_LONGEST_NAME: Final = 1 << 18
_MOST_UNCLOSED: Final = 8
# The start of a name. Kernels return void.
_START: Final = re.compile(r"(?<![^\s(,'\"])(?:void )?(?=[A-Za-z_]|\(anonymous namespace\)::)")
_OPENING: Final = frozenset("(<[{")
_BREAK: Final = re.compile(r"[\s,;'\"()<>\[\]{}]")
_END: Final = re.compile(r"[\s,;'\"]")
_SCOPES: Final = re.compile(r"[\w:~$]+")


def shorten_texts(texts: Iterable[str]) -> Iterator[str]:
    """Yield sentences with short forms of the C++ names that they contain."""
    found = [(text, tuple(_find_names(text))) for text in texts]
    forms = shorten_names(text[start:end] for text, spans in found for start, end in spans)
    for text, spans in found:
        parts, done = [], 0
        for start, end in spans:
            parts += [text[done:start], forms[text[start:end]]]
            done = end
        yield "".join([*parts, text[done:]])


def _find_names(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each scoped, templated, or very long name in a sentence."""
    masked, _ = mask_operators(text)
    position = unclosed = 0
    # A forged name can contain many brackets that nothing closes.
    while unclosed < _MOST_UNCLOSED and (match := _START.search(masked, position)):
        start = match.end()
        # Most words have no brackets, so what follows them does not matter.
        stop = _BREAK.search(masked, start)
        is_plain = stop is not None and stop[0] not in _OPENING
        limit = stop.end() if stop and is_plain else start + _LONGEST_NAME
        end = _find_end(masked[start:limit])
        unclosed += end is None
        if end:
            yield match.start(), start + end
        position = start + (end or 1)


def _find_end(masked: str) -> int | None:
    """Return the length of the C++ name at the start of a text.

    Returns:
        0 if the text starts with another word; None if it starts with an unclosed bracket.
    """
    outside, done = "", 0
    for position, bracket, before, after in scan_brackets(masked):
        if before == 0:
            stop = _END.search(masked, done, position)
            end = stop.start() if stop else position
            outside += masked[done:end]
            if stop or not bracket or after == 0:
                break
        if after == 0:
            done = position + 1
    else:
        return None
    scopes = outside.rstrip(":.")
    has_brackets = len(outside) < end
    is_name = "::" in scopes or has_brackets or len(scopes) > _LONGEST_WORD
    return end - len(outside) + len(scopes) if is_name and _SCOPES.fullmatch(scopes) else 0
