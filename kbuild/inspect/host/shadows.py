"""Find the shadows of device variables: the host variables with which host code names them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from kbuild.facts import ImageFacts, Pointer, ShadowFacts, WrapperFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.modules import Target


def read_shadows(
    elf: Elf,
    targets: Iterable[Target],
    images: Iterable[ImageFacts],
    wrappers: Iterable[WrapperFacts],
) -> tuple[ShadowFacts, ...]:
    """Return the shadows that are not local, ordered by the name of the symbol.

    kbuild's own are in a kernel table. A file of another tool has one for each variable of its
    registered images whose name and size a symbol has. If a local symbol also has this name, it is
    the shadow, and the other symbol is an ordinary variable.
    """
    own = {name: (backend, pointer) for backend, name, pointer in _iterate_rows(targets)}
    registering = {wrapper.backend for wrapper in wrappers}
    foreign = {
        (variable.name, variable.size): image.backend
        for image in images
        if image.backend in registering
        for variable in image.variables
        if variable.name not in own
    }
    if not own and not foreign:
        return ()
    names = own.keys() | {name for name, _ in foreign}
    symbols = [s for s in elf.symbols if s.place and s.type == "object" and s.name in names]
    local = {symbol.name for symbol in symbols if symbol.binding == "local"}
    found: dict[str, ShadowFacts] = {}
    for symbol in sorted(symbols, key=lambda symbol: (symbol.name, symbol.dynamic)):
        if symbol.binding == "local" or symbol.name in found:
            continue
        is_own = symbol.name in own
        if is_own or (symbol.name not in local and (symbol.name, symbol.size) in foreign):
            backend, registered = own.get(symbol.name) or (foreign[symbol.name, symbol.size], None)
            found[symbol.name] = ShadowFacts(
                backend=backend, symbol=symbol, registered=registered, is_own=is_own
            )
    return tuple(found.values())


def _iterate_rows(targets: Iterable[Target]) -> Iterator[tuple[str, str, Pointer | None]]:
    """Yield the backend, shadow, and registered pointer of each variable in a kernel table."""
    for target in targets:
        pointers = target.descriptor.shadows if target.descriptor else ()
        rows = target.record.variables
        for row, pointer in itertools.zip_longest(rows, pointers[: len(rows)]):
            yield target.record.backend, row.shadow, pointer
