"""Reject links in which code calls a kernel's handle, which is data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.errors import SourceError
from kbuild.facts import Place, Symbol
from kbuild.formats.elf.file import Elf
from kbuild.formats.target_note import SECTION, read_notes
from kbuild.inspect.options import ReadOptions
from kbuild.inspect.paths import inspect_content
from kbuild.stages.relocatable import list_objects
from kbuild.verify import select_rules, verify

_RULE: Final = "KB309"
# How the name of a function begins a parameter that points to a function without a result (Itanium
# C++ ABI, section 5.1.5).
_KERNEL_POINTER: Final = "PFv"


def check_calls(paths: Iterable[Path], function: str) -> None:
    """Check that no object calls a kernel of another one, as launches in nvcc's objects do.

    Linkers accept such a call, and the program crashes.

    Args:
        paths: The objects and archives of a link.
        function: The function that launches in nvcc's objects call first; empty if no such objects
            can be linked.

    Raises:
        SourceError: An object calls a kernel.
        InputError: A file cannot be read.
    """
    if not function:
        return
    objects = {name: content for path in paths for name, content in list_objects(path)}
    own = {name: data for name, data in objects.items() if SECTION.encode() in data}
    callers = {
        name: data
        for name, data in objects.items()
        if name not in own and function.encode() in data
    }
    if callers:
        _check_direct_calls(own, callers)
        _check_launchers(own, callers, tuple(objects), function)


def _check_direct_calls(own: dict[str, bytes], callers: dict[str, bytes]) -> None:
    handles = {handle: name for name, content in own.items() for handle in _list_handles(content)}
    for name, content in callers.items():
        undefined = (s.name for s in Elf(content).symbols if s.place is None)
        used = sorted({handles[symbol] for symbol in undefined if symbol in handles})
        if used:
            _judge({name: content, **{other: own[other] for other in used}})


def _check_launchers(
    own: dict[str, bytes], callers: dict[str, bytes], order: tuple[str, ...], function: str
) -> None:
    """Check that the linker keeps kbuild's definitions of functions that launch any kernel."""
    shared = {symbol: name for name, content in own.items() for symbol in _list_launchers(content)}
    for name, content in callers.items():
        for symbol in _list_launchers(content, function):
            if symbol in shared and order.index(name) < order.index(shared[symbol]):
                raise SourceError(
                    f"{name}: {_RULE}: {demangle(symbol)} calls kernels of {shared[symbol]}, which "
                    f"defines it too; link {shared[symbol]} first, because code of kbuild also "
                    "launches kernels of nvcc"
                )


def _list_launchers(content: bytes, function: str = "") -> Iterator[str]:
    """Yield the inline functions of an object that receive a pointer to a kernel.

    Linkers keep the first definition of such a function.

    Args:
        content: The object.
        function: Yield only functions that call this one.
    """
    elf = Elf(content)
    found = [
        s
        for s in elf.symbols
        if s.binding == "weak" and s.type == "function" and _KERNEL_POINTER in s.name and s.place
    ]
    if not function:
        yield from (symbol.name for symbol in found)
        return
    calls = [
        relocation.place
        for relocation in (elf.relocations() if found else ())
        if relocation.symbol is not None and relocation.symbol.name == function
    ]
    for symbol in found:
        if any(_contains(symbol, place) for place in calls):
            yield symbol.name


def _contains(symbol: Symbol, place: Place) -> bool:
    start = symbol.place
    return (
        start is not None
        and start.section == place.section
        and start.offset <= place.offset < start.offset + symbol.size
    )


def _list_handles(content: bytes) -> list[str]:
    """Return the kernels of an object that other files can name."""
    elf = Elf(content)
    notes = (n for s in elf.sections_named(SECTION) for n in read_notes(elf.content(s))[0])
    rows = (row for note in notes for row in note.record.kernels)
    return [row.handle for row in rows if row.linkage != "internal"]


def _judge(objects: dict[str, bytes]) -> None:
    options = ReadOptions(jobs=1)
    facts = (f for name, data in objects.items() for f in inspect_content(name, data, options))
    report = verify(tuple(facts), rules=select_rules((_RULE,), ()))
    for finding in report.findings:
        raise SourceError(f"{finding.path}: {_RULE}: {finding.message}\n{finding.fix}")
