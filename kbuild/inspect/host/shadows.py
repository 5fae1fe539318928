"""Find the shadows of device variables: the host variables with which host code names them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from kbuild.facts import ImageFacts, Pointer, ShadowFacts, Symbol, WrapperFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.modules import Target
from kbuild.model import Variable, VariableRecord


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
    own = {row.shadow: (target, row, at) for target, row, at in _iterate_rows(targets)}
    registering = {wrapper.backend for wrapper in wrappers}
    foreign = {
        (variable.name, variable.size): (image.backend, variable)
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
        if symbol.name in own:
            target, row, at = own[symbol.name]
            found[symbol.name] = _describe_own(target, row, at, symbol)
        elif symbol.name not in local and (symbol.name, symbol.size) in foreign:
            backend, variable = foreign[symbol.name, symbol.size]
            found[symbol.name] = _describe_foreign(backend, variable, symbol)
    return tuple(found.values())


def _iterate_rows(
    targets: Iterable[Target],
) -> Iterator[tuple[Target, VariableRecord, Pointer | None]]:
    for target in targets:
        pointers = target.descriptor.shadows if target.descriptor else ()
        rows = itertools.zip_longest(target.record.variables, pointers)
        yield from ((target, row, pointer) for row, pointer in rows)


def _describe_own(
    target: Target, row: VariableRecord, registered: Pointer | None, symbol: Symbol
) -> ShadowFacts:
    return ShadowFacts(
        backend=target.record.backend,
        display=row.display,
        symbol=symbol,
        registered=registered,
        is_own=True,
    )


def _describe_foreign(backend: str, variable: Variable, symbol: Symbol) -> ShadowFacts:
    return ShadowFacts(
        backend=backend,
        display=variable.display,
        symbol=symbol,
        registered=None,
        is_own=False,
    )
