"""Kernels by name: by symbol, by C++ name, or by a part of the C++ name."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

from kbuild.demangle.names import split_function
from kbuild.errors import ConfigurationError

_MOST_SHOWN: Final = 8


class KernelNotFoundError(ConfigurationError, KeyError):
    """No kernel or several kernels have this name; the message lists candidates."""

    def __str__(self) -> str:
        # KeyError would show the repr of the message.
        return str(self.args[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelName:
    """The names of one kernel: ``key`` is unique, ``display`` is the demangled name."""

    key: str
    symbol: str
    display: str


class NameIndex:
    """All names by which some kernels can be found."""

    def __init__(self, names: Iterable[KernelName]) -> None:
        self._names = tuple(names)
        self._exact = {name.key: name for name in self._names}
        self._by_alias: dict[str, list[KernelName]] = {}
        for name in self._names:
            for alias in dict.fromkeys(_list_aliases(name)):
                self._by_alias.setdefault(alias, []).append(name)

    def find(self, name: str) -> str:
        """Return the key of a kernel by one of its names.

        Raises:
            KernelNotFoundError: ``name`` names no kernel, or several.
        """
        if name in self._exact:
            return name
        found = self._by_alias.get(_remove_spaces(name), [])
        if len(found) == 1:
            return found[0].key
        if found:
            listing = _join_names(f"{kernel.display} ({kernel.key})" for kernel in found)
            raise KernelNotFoundError(f"{name!r} matches {len(found)} kernels: {listing}")
        raise KernelNotFoundError(f"no kernel {name!r}; {self._suggest(name)}")

    def choose_readable(self, key: str) -> str:
        """Return the demangled name of a kernel if `find` accepts it, and otherwise its key."""
        display = self._exact[key].display
        try:
            return display if self.find(display) == key else key
        except KernelNotFoundError:
            return key

    def _suggest(self, name: str) -> str:
        spellings = {
            spelling: kernel
            for kernel in self._names
            for spelling in (kernel.symbol, kernel.display, split_function(kernel.display)[0])
        }
        near = difflib.get_close_matches(name, spellings, n=3, cutoff=0.5)
        if near:
            displays = dict.fromkeys(spellings[spelling].display for spelling in near)
            return f"did you mean {' or '.join(displays)}?"
        if not self._names:
            return "there are no kernels"
        return f"the kernels are {_join_names(kernel.display for kernel in self._names)}"


class NamedKernel(Protocol):
    """A kernel with a readable name."""

    @property
    def display(self) -> str:
        """The demangled name."""


K = TypeVar("K", bound=NamedKernel)


class KernelMapping(Mapping[str, K]):
    """Kernels by name.

    Iteration yields readable names: the demangled name of a kernel, or its key if several kernels
    have this name.  Lookup also accepts symbols, and demangled names with or without return type
    and parameter list if they are unambiguous.

    Args:
        kernels: The kernels with their keys and symbols.
    """

    def __init__(self, kernels: Iterable[tuple[str, str, K]]) -> None:
        listed = tuple(kernels)
        self._kernels = {key: kernel for key, _, kernel in listed}
        self._names = NameIndex(
            KernelName(key=key, symbol=symbol, display=kernel.display)
            for key, symbol, kernel in listed
        )

    @property
    def symbols(self) -> tuple[str, ...]:
        """The kernels' symbols in the order of iteration.

        If kernels share a symbol, the name of the target and a colon precede it.
        """
        return tuple(self._kernels)

    def __getitem__(self, name: str) -> K:
        """Return the kernel called ``name``.

        Raises:
            KernelNotFoundError: ``name`` names no kernel, or several.
        """
        if not isinstance(name, str):
            raise KernelNotFoundError(f"the name of a kernel must be a string, not {name!r}")
        return self._kernels[self._names.find(name)]

    def __iter__(self) -> Iterator[str]:
        return (self._names.choose_readable(key) for key in self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)


def _list_aliases(name: KernelName) -> Iterator[str]:
    yield name.symbol
    yield _remove_spaces(name.display)
    short, _ = split_function(name.display)
    yield _remove_spaces(short)
    start = name.display.find(short)
    if start >= 0:  # without the return type that the name of a template starts with
        yield _remove_spaces(name.display[start:])


def _remove_spaces(name: str) -> str:
    """Remove spaces, because ``f(int,int)`` and ``f(int, int)`` are the same name."""
    return "".join(name.split())


def _join_names(names: Iterable[str]) -> str:
    every = list(names)
    more = len(every) - _MOST_SHOWN
    return ", ".join(every[:_MOST_SHOWN]) + (f" and {more} more" if more > 0 else "")
