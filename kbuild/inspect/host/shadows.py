"""Find the shadows of device variables: the host variables with which host code names them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from kbuild.facts import ImageFacts, Pointer, ShadowFacts, Symbol, WrapperFacts
from kbuild.inspect.host.modules import Target
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Variables:
    """The device variables that host code might name.

    ``own`` has the backend and the registered pointer of each variable in a kernel table, by its
    name. ``foreign`` has the backend of each variable in images of other tools, by name and size.
    """

    own: dict[str, tuple[str, Pointer | None]]
    foreign: dict[tuple[str, int], str]

    @property
    def names(self) -> frozenset[str]:
        """The names of the variables, which are those of their shadows."""
        return frozenset(self.own) | {name for name, _ in self.foreign}


def list_variables(
    targets: Iterable[Target], images: Iterable[ImageFacts], wrappers: Iterable[WrapperFacts]
) -> Variables:
    """Return the variables in kernel tables, and in the images that other host code registers."""
    own = {name: (backend, pointer) for backend, name, pointer in _iterate_rows(targets)}
    registering = {wrapper.backend for wrapper in wrappers}
    foreign = {
        (variable.name, variable.size): image.backend
        for image in images
        if image.backend in registering
        for variable in image.variables
        if variable.name not in own
    }
    return Variables(own=own, foreign=foreign)


def read_shadows(variables: Variables, symbols: Iterable[Symbol]) -> tuple[ShadowFacts, ...]:
    """Return the shadows that are not local, ordered by the name of the symbol.

    A symbol is the shadow of a foreign variable with the same name and size. If a local symbol
    also has this name, it is the shadow, and the other symbol is an ordinary variable.
    """
    names = variables.names
    named = [s for s in symbols if s.name in names and s.place and s.type == "object"]
    local = {symbol.name for symbol in named if symbol.binding == "local"}
    found: dict[str, ShadowFacts] = {}
    for symbol in sorted(named, key=lambda symbol: (symbol.name, symbol.dynamic)):
        if symbol.binding == "local" or symbol.name in found:
            continue
        key = (symbol.name, symbol.size)
        if symbol.name in variables.own:
            backend, registered = variables.own[symbol.name]
            found[symbol.name] = ShadowFacts(
                backend=backend, symbol=symbol, registered=registered, is_own=True
            )
        elif symbol.name not in local and key in variables.foreign:
            found[symbol.name] = ShadowFacts(
                backend=variables.foreign[key], symbol=symbol, registered=None, is_own=False
            )
    return tuple(found.values())


def _iterate_rows(targets: Iterable[Target]) -> Iterator[tuple[str, str, Pointer | None]]:
    """Yield the backend, shadow, and registered pointer of each variable in a kernel table."""
    for target in targets:
        pointers = target.descriptor.shadows if target.descriptor else ()
        rows = target.record.variables
        for row, pointer in itertools.zip_longest(rows, pointers[: len(rows)]):
            yield target.record.backend, row.shadow, pointer
