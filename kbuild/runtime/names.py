"""Finding a kernel by what people call it: symbol, C++ name, or a part of that."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from kbuild.demangle.names import split_function
from kbuild.errors import ConfigurationError

_MOST_SHOWN: Final = 8


class KernelNotFoundError(ConfigurationError, KeyError):
    """No kernel has this name, or several have; the message lists candidates."""

    def __str__(self) -> str:
        # KeyError would show the message's repr.
        return str(self.args[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelName:
    """The names of one kernel: ``key`` is its own alone, ``display`` the demangled one."""

    key: str
    symbol: str
    display: str


class NameIndex:
    """All the names that kernels go by."""

    def __init__(self, names: Iterable[KernelName]) -> None:
        self._names = tuple(names)
        self._exact = {name.key: name for name in self._names}
        self._by_alias: dict[str, list[KernelName]] = {}
        for name in self._names:
            for alias in dict.fromkeys(_spell_aliases(name)):
                self._by_alias.setdefault(alias, []).append(name)

    def find(self, wanted: str) -> str:
        """The key of the one kernel that ``wanted`` names; KernelNotFoundError if not one."""
        if wanted in self._exact:
            return wanted
        found = self._by_alias.get(_normalise(wanted), [])
        if len(found) == 1:
            return found[0].key
        if found:
            listing = _list_names(f"{name.display} ({name.key})" for name in found)
            raise KernelNotFoundError(f"{wanted!r} names {len(found)} kernels: {listing}")
        raise KernelNotFoundError(f"no kernel {wanted!r}; {self._suggest(wanted)}")

    def _suggest(self, wanted: str) -> str:
        spellings = {
            spelling: name
            for name in self._names
            for spelling in (name.symbol, name.display, split_function(name.display)[0])
        }
        near = difflib.get_close_matches(wanted, spellings, n=3, cutoff=0.5)
        if near:
            displays = dict.fromkeys(spellings[spelling].display for spelling in near)
            return f"did you mean {' or '.join(displays)}?"
        return f"there are {_list_names(name.display for name in self._names) or 'none'}"


def _spell_aliases(name: KernelName) -> Iterator[str]:
    yield name.symbol
    yield _normalise(name.display)
    short, _ = split_function(name.display)
    yield _normalise(short)
    start = name.display.find(short)
    if start >= 0:  # without the return type that a template's name begins with
        yield _normalise(name.display[start:])


def _normalise(name: str) -> str:
    """Spaces are a matter of taste: ``f(int,int)`` and ``f(int, int)`` are one name."""
    return "".join(name.split())


def _list_names(names: Iterable[str]) -> str:
    every = list(names)
    more = len(every) - _MOST_SHOWN
    return ", ".join(every[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
