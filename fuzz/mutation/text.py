"""Mutations of text: words are replaced, moved, repeated, nested, and exchanged between inputs."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from fuzz.mutation.binary import mutate_bytes
from fuzz.target import Mutator

_Edit: TypeAlias = Callable[[random.Random, list[str], "_Source"], None]
_Source: TypeAlias = tuple[Sequence[str], Sequence[bytes]]

_WORD: Final = re.compile(r"\w+|\s+|[^\w\s]")
_ROUNDS: Final = (1, 1, 2, 3, 6)
_BYTES: Final = 0.15
# Tens of thousands of copies show which readers need quadratic time.
_COPIES: Final = (*(2, 3, 10) * 12, 100, 400, 20_000)
_LARGEST: Final = 200_000
_BRACKETS: Final = ("()", "[]", "{}", "<>", '""', "''")
_STRANGE: Final = (
    *("", "0", "1", "-1", "1e999", "nan", "9" * 20, "9" * 5000, "0x" + "f" * 40, "true", "null"),
    *('""', '"\\u0000"', '"\\ud800"', "\0", "\x1b[31m", "\u202e", "\ufeff", "é", "\\", '"""'),
    *("\n", "\r\n", ",", ".", ":", ";", "=", "#", "*", "**", "../", "/", "[", "]", "{", "}"),
)


def make_text_mutator(vocabulary: Sequence[str] = ()) -> Mutator:
    """Return a mutator of text whose format has these words."""
    words = (*_STRANGE, *vocabulary, *vocabulary)

    def mutate(chance: random.Random, pool: Sequence[bytes]) -> bytes:
        if chance.random() < _BYTES:
            return mutate_bytes(chance, pool)
        parts = split_words(chance.choice(pool))
        for _ in range(chance.choice(_ROUNDS)):
            chance.choice(_EDITS)(chance, parts, (words, pool))
        return "".join(parts).encode("utf-8", "surrogateescape")

    return mutate


def split_words(data: bytes) -> list[str]:
    """Return the words, spaces, and punctuation of a text."""
    return _WORD.findall(data.decode("utf-8", "surrogateescape"))


def _replace(chance: random.Random, parts: list[str], source: _Source) -> None:
    if parts:
        parts[chance.randrange(len(parts))] = chance.choice(source[0])


def _insert(chance: random.Random, parts: list[str], source: _Source) -> None:
    parts.insert(chance.randrange(len(parts) + 1), chance.choice(source[0]))


def _delete(chance: random.Random, parts: list[str], _: _Source) -> None:
    start = chance.randrange(len(parts) + 1)
    del parts[start : start + chance.choice((1, 1, 2, 8))]


def _swap(chance: random.Random, parts: list[str], _: _Source) -> None:
    if parts:
        one, two = (chance.randrange(len(parts)) for _ in range(2))
        parts[one], parts[two] = parts[two], parts[one]


def _repeat(chance: random.Random, parts: list[str], _: _Source) -> None:
    start = chance.randrange(len(parts) + 1)
    piece = parts[start : start + chance.randrange(1, 12)]
    most = _LARGEST // max(sum(map(len, piece)), 1)
    parts[start:start] = piece * min(chance.choice(_COPIES), most)


def _nest(chance: random.Random, parts: list[str], _: _Source) -> None:
    """Put brackets around some words, sometimes thousands."""
    start = chance.randrange(len(parts) + 1)
    opening, closing = chance.choice(_BRACKETS)
    depth = chance.choice((1, 1, 2, 50, 3000))
    end = start + chance.randrange(1, 20)
    parts[end:end] = [closing * depth] if chance.random() < 0.8 else []
    parts[start:start] = [opening * depth]


def _splice(chance: random.Random, parts: list[str], source: _Source) -> None:
    """Insert lines of another input."""
    lines = chance.choice(source[1]).decode("utf-8", "surrogateescape").splitlines(keepends=True)
    if lines:
        start = chance.randrange(len(lines))
        at = chance.randrange(len(parts) + 1)
        parts[at:at] = lines[start : start + chance.randrange(1, 6)]


def _change_number(chance: random.Random, parts: list[str], _: _Source) -> None:
    numbers = [i for i, part in enumerate(parts) if part.isdecimal() and len(part) < 20]
    if numbers:
        at = chance.choice(numbers)
        value = int(parts[at])
        choices = (value + 1, value - 1, -value, value * 1000, 1 << chance.randrange(70))
        parts[at] = str(chance.choice(choices))


_EDITS: Final[tuple[_Edit, ...]] = (
    *(_replace, _replace, _insert, _insert, _delete, _swap, _repeat, _nest),
    *(_splice, _change_number),
)
