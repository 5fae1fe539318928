"""Find the symbols that a host file needs from a device link and from runtimes."""

from __future__ import annotations

from kbuild.backends import list_host_conventions
from kbuild.backends.interface.host import HostConventions
from kbuild.facts import LinkageFacts, Symbol
from kbuild.formats.elf.file import Elf


def read_linkage(elf: Elf, symbols: tuple[Symbol, ...]) -> tuple[LinkageFacts, ...]:
    """Return the linkage of each backend whose symbols or sections the file has."""
    undefined = {s.name for s in symbols if s.name and _is_undefined(s)}
    # The dynamic linker leaves a weak symbol null if no library defines it.
    required = undefined - {s.name for s in symbols if s.binding == "weak"}
    known = {s.name for s in symbols if s.name}
    found = []
    for backend, conventions in list_host_conventions():
        links, runtime = conventions.link_symbols, conventions.runtime_symbols
        needs_link = {name for name in undefined if links and links.match(name)}
        needs_runtime = {name for name in required if runtime and runtime.match(name)}
        registers = bool(conventions.registrations & known - {conventions.unregister})
        waiting = _list_waiting(elf, conventions)
        if needs_link or needs_runtime or registers or waiting:
            found.append(
                LinkageFacts(
                    backend=backend,
                    unlinked=tuple(sorted(needs_link)),
                    needs=tuple(sorted(needs_runtime)),
                    unregisters=conventions.unregister in known if registers else None,
                    waiting=waiting,
                    registers_kernels=_registers_kernels(conventions, undefined, known),
                )
            )
    return tuple(found)


def _registers_kernels(
    conventions: HostConventions, undefined: set[str], known: set[str]
) -> bool | None:
    """Return whether the file calls the runtime's function, which it must not define itself."""
    name = conventions.register_kernel
    return True if name in undefined else None if name in known else False


def _list_waiting(elf: Elf, conventions: HostConventions) -> tuple[str, ...]:
    """Return the sections that wait for a device link; a finished link leaves a wrapper."""
    wrapper = conventions.wrapper
    if wrapper is not None and elf.sections_named(wrapper.section):
        return ()
    return tuple(
        section.name
        for section in elf.sections
        if section.name in conventions.link_sections and section.size
    )


def _is_undefined(symbol: Symbol) -> bool:
    return symbol.place is None and symbol.value == 0 and symbol.binding != "local"
