"""Mutations of JSON documents: values are replaced, removed, copied, and nested."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, TypeAlias

_Place: TypeAlias = tuple[Any, Any]

_ROUNDS: Final = (1, 1, 1, 2, 4)
_MOST_BITS: Final = 256
_STRANGE: Final[tuple[Any, ...]] = (
    *(None, True, False, 0, 1, -1, 2**31, 2**32, 2**63, 2**64, -(2**63), 10**30, 0.5, 1e308),
    *(64.0, float("nan"), float("inf"), "", " ", "\0", "\x1b[31m", "\ud800", "é", "a" * 3000, "*"),
    *("../..", "cuda", "hip", "cpu", "elf", "ptx", [], {}, [[]], [None], {"": None}),
)


def mutate_document(chance: random.Random, document: Any, other: Any) -> Any:
    """Change some values of a document in place, and return it."""
    for _ in range(chance.choice(_ROUNDS)):
        places = list(_iterate_places(document))
        if places:
            container, key = chance.choice(places)
            chance.choice(_EDITS)(chance, container, key, other)
    return document


def format_document(chance: random.Random, document: Any) -> bytes:
    """Return a document as JSON text, with characters escaped or not."""
    is_escaped = chance.random() < 0.5
    text = json.dumps(document, ensure_ascii=is_escaped, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _iterate_places(value: Any) -> Iterator[_Place]:
    items: Sequence[Any] = ()
    if isinstance(value, dict):
        items = tuple(value.items())
    elif isinstance(value, list):
        items = tuple(enumerate(value))
    for key, item in items:
        yield value, key
        yield from _iterate_places(item)


def _make_strange(chance: random.Random) -> Any:
    return copy.deepcopy(chance.choice(_STRANGE))


def _replace(chance: random.Random, container: Any, key: Any, _: Any) -> None:
    container[key] = _make_strange(chance)


def _replace_by_other(chance: random.Random, container: Any, key: Any, other: Any) -> None:
    """Put a value of another document here."""
    places = list(_iterate_places(other))
    if places:
        source, name = chance.choice(places)
        container[key] = copy.deepcopy(source[name])


def _delete(_: random.Random, container: Any, key: Any, __: Any) -> None:
    del container[key]


def _add(chance: random.Random, container: Any, _: Any, __: Any) -> None:
    if isinstance(container, list):
        container.insert(chance.randrange(len(container) + 1), _make_strange(chance))
    else:
        container[chance.choice(("", "new", "\x1b", "schema"))] = _make_strange(chance)


def _copy(chance: random.Random, container: Any, key: Any, _: Any) -> None:
    if isinstance(container, list):
        container.extend([container[key]] * chance.choice((1, 2, 100)))
    else:
        container[chance.choice(tuple(container))] = container[key]


def _change_number(chance: random.Random, container: Any, key: Any, _: Any) -> None:
    value = container[key]
    if isinstance(value, int) and value.bit_length() < _MOST_BITS:
        container[key] = chance.choice((value + 1, value - 1, -value, value * 1000, float(value)))


def _nest(chance: random.Random, container: Any, key: Any, _: Any) -> None:
    for _ in range(chance.choice((1, 2, 40))):
        container[key] = [container[key]]


_EDITS: Final[tuple[Callable[[random.Random, Any, Any, Any], None], ...]] = (
    *(_replace, _replace, _replace_by_other, _delete, _add, _copy, _change_number),
    *(_change_number, _nest),
)
