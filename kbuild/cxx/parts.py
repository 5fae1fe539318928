"""Parts of a text whose tokens are known, and what a text has that consists of them.

A part from a cache is not made into lists again, which would take longer than most passes over a
small source. Its tokens are read from arrays when a pass asks for them.
"""

from __future__ import annotations

import marshal
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import Final, NamedTuple, TypeVar, overload

T = TypeVar("T")

_ARRAY: Final = "I"


class SeparatePart(NamedTuple):
    """A part of a text that can be read without the rest of it.

    Attributes:
        length: The length of the part.
        words: Its tokens, without directives.
        starts: The position of each token in the part.
        directives: The directives with their positions, without line markers.
        markers: The line markers with their positions, as `marshal` writes the list.
        partners: The indices of matching brackets. Every bracket has one.
        places: The indices of each token, as the bytes of an array of type ``I``.
    """

    length: int
    words: Sequence[str]
    starts: Sequence[int]
    directives: list[tuple[str, int]]
    markers: bytes
    partners: Mapping[int, int]
    places: Mapping[str, bytes]


def encode(part: SeparatePart) -> bytes:
    """Return a part as bytes for `decode`."""
    codes = {word: code for code, word in enumerate(part.places)}
    partners = array(_ARRAY, range(len(part.words)))
    for index, partner in part.partners.items():
        partners[index] = partner
    columns = (array(_ARRAY, map(codes.__getitem__, part.words)), array(_ARRAY, part.starts))
    arrays = [column.tobytes() for column in (*columns, partners)]
    return marshal.dumps((part.length, arrays, part.directives, part.markers, dict(part.places)))


def decode(content: bytes) -> SeparatePart:
    """Return the part that `encode` was given."""
    length, arrays, directives, markers, places = marshal.loads(content)  # noqa: S302 - own data
    codes, starts, partners = (memoryview(column).cast(_ARRAY) for column in arrays)
    words = _Words(codes, list(places))
    return SeparatePart(length, words, starts, directives, markers, _Partners(partners), places)


class _Words(Sequence[str]):
    """The tokens of a part from a cache."""

    def __init__(self, codes: memoryview, vocabulary: list[str]) -> None:
        self._codes = codes
        self._vocabulary = vocabulary

    def __len__(self) -> int:
        return len(self._codes)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return list(map(self._vocabulary.__getitem__, self._codes[index]))
        return self._vocabulary[self._codes[index]]

    def __iter__(self) -> Iterator[str]:
        return map(self._vocabulary.__getitem__, self._codes)


class _Partners(Mapping[int, int]):
    """The partners of a part from a cache. Tokens without a partner have their own index."""

    def __init__(self, indices: memoryview) -> None:
        self._indices = indices

    def __getitem__(self, index: int) -> int:
        if not 0 <= index < len(self._indices) or self._indices[index] == index:
            raise KeyError(index)
        return self._indices[index]

    def __iter__(self) -> Iterator[int]:
        return (index for index, partner in enumerate(self._indices) if index != partner)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class JoinedList(Sequence[T]):
    """Consecutive sequences as one. Most passes read the last one most of the time."""

    def __init__(self, parts: Sequence[Sequence[T]]) -> None:
        self._parts = parts
        self._ends = list(accumulate(map(len, parts)))
        self._start = self._ends[-1] - len(parts[-1])
        self._last = parts[-1]

    def __len__(self) -> int:
        return self._ends[-1]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if start >= self._start and step > 0:
                return list(self._last[start - self._start : max(stop - self._start, 0) : step])
            return [self[each] for each in range(start, stop, step)]
        if index >= self._start:
            return self._last[index - self._start]
        if index < 0:
            if index < -len(self):
                raise IndexError(index)
            return self[index + len(self)]
        part = bisect_right(self._ends, index)
        return self._parts[part][index - self._ends[part]]

    def __iter__(self) -> Iterator[T]:
        return chain.from_iterable(self._parts)


class _Shifted(Sequence[int]):
    """Numbers that are larger by a constant than those of another sequence."""

    def __init__(self, numbers: Sequence[int], constant: int) -> None:
        self._numbers = numbers
        self._constant = constant

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        if isinstance(index, slice):
            return [number + self._constant for number in self._numbers[index]]
        return self._numbers[index] + self._constant


class JoinedPositions(JoinedList[int]):
    """The positions of the tokens of consecutive parts."""

    def __init__(self, parts: Sequence[SeparatePart]) -> None:
        self._own = [part.starts for part in parts]
        self._origins = list(accumulate((part.length for part in parts[:-1]), initial=0))
        super().__init__(list(map(_shift, self._own, self._origins)))

    def bisect(self, position: int) -> int:
        """Do what `bisect.bisect_left` does."""
        part = max(bisect_right(self._origins, position) - 1, 0)
        own = self._own[part]
        return self._ends[part] - len(own) + bisect_left(own, position - self._origins[part])


def _shift(numbers: Sequence[int], constant: int) -> Sequence[int]:
    """Return numbers that are larger by a constant; a list if they are one."""
    if isinstance(numbers, list):
        return [number + constant for number in numbers]
    return _Shifted(numbers, constant)


class JoinedPartners(Mapping[int, int]):
    """The partners of consecutive parts, by the indices in all of them together."""

    def __init__(self, parts: Sequence[SeparatePart]) -> None:
        ends = list(accumulate(len(part.words) for part in parts))
        self._firsts = [0, *ends[:-1]]
        self._parts = [part.partners for part in parts]
        start = self._firsts[-1]
        self._last = {start + one: start + other for one, other in self._parts[-1].items()}

    def __getitem__(self, index: int) -> int:
        if index >= self._firsts[-1] or index < 0:
            return self._last[index]
        part = bisect_right(self._firsts, index) - 1
        first = self._firsts[part]
        return self._parts[part][index - first] + first

    def __iter__(self) -> Iterator[int]:
        firsts = zip(self._firsts, self._parts, strict=True)
        return (first + index for first, partners in firsts for index in partners)

    def __len__(self) -> int:
        return sum(map(len, self._parts))
