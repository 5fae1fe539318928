"""Find the host side of kernels that kbuild did not build: symbols and registrations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from kbuild.backends import find_backend
from kbuild.backends.interface.host import HostConventions
from kbuild.facts import HostKernel, ImageFacts, ModuleFacts, Place, Symbol, WrapperFacts
from kbuild.formats.elf.file import Elf
from kbuild.inspect.host.registrations import Registration, read_registrations
from kbuild.inspect.host.symbols import remove_local_marks
from kbuild.inspect.host.text_search import find_names
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class _Names:
    """The symbols that can be kernels and stubs of a backend, by the kernel's mangled name.

    ``absent`` has the stubs of kernels that no image contains.
    """

    identities: dict[str, list[Symbol]] = field(default_factory=dict)
    stubs: dict[str, list[Symbol]] = field(default_factory=dict)
    absent: dict[str, Symbol] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """The evidence for whether a kernel is registered.

    ``calls`` has the registrations of an object file, by kernel. It is None if the object
    registers nothing, and in linked files. ``named`` has the kernels whose names are in the
    read-only data of a linked file. It is None in object files.
    """

    calls: dict[str, list[Registration]] | None
    named: frozenset[str] | None

    def is_registered(self, kernel: str) -> bool | None:
        if self.named is not None:
            return kernel in self.named
        return None if self.calls is None else kernel in self.calls


def list_foreign_kernels(
    images: Iterable[ImageFacts], modules: Iterable[ModuleFacts]
) -> dict[str, tuple[str, ...]]:
    """Return the names of the kernels that are in no kernel table, by backend, in file order."""
    own: set[tuple[int | None, str]] = set()
    for module in modules:
        for row in module.record.kernels:
            is_listed = row.container in range(len(module.containers))
            own.add((module.containers[row.container] if is_listed else None, row.device_name))
        # A device link can add kernels of the vendor's library, or leave images for the runtime
        # to link. The record lists those by image.
        for container, record in zip(module.containers, module.record.containers, strict=True):
            own |= {(container, name) for image in record.images for name in image.kernels}
    found: dict[str, dict[str, None]] = {}
    for image in images:
        names = found.setdefault(image.backend, {})
        for kernel in image.kernels:
            # If a descriptor does not lead to its containers, only the name can be compared.
            if not own & {(image.container, kernel.name), (None, kernel.name)}:
                names[kernel.name] = None
    return {backend: tuple(names) for backend, names in found.items() if names}


def read_host_kernels(
    elf: Elf,
    symbols: tuple[Symbol, ...],
    kernels: Mapping[str, tuple[str, ...]],
    wrappers: Sequence[WrapperFacts],
    own: frozenset[str] = frozenset(),
) -> tuple[HostKernel, ...]:
    """Find the host side of kernels.

    Args:
        elf: The host file.
        symbols: The symbols of the file that can belong to kernels.
        kernels: The names of the kernels in the images, by backend.
        wrappers: The records that register containers.
        own: The kernels of kbuild's kernel tables.

    Returns:
        The kernels in their order, then those that host code registers but no image contains.
    """
    found: list[HostKernel] = []
    for backend, names in kernels.items():
        conventions = find_backend(backend).host
        if conventions is not None:
            has_wrapper = any(wrapper.backend == backend for wrapper in wrappers)
            evidence = _gather_evidence(elf, conventions, names, has_wrapper=has_wrapper)
            host_names = {name: conventions.host_name(name) for name in names}
            chosen = _find_symbols(symbols, conventions, frozenset(host_names.values()))
            found.extend(_read_backend(backend, host_names, chosen, evidence))
            absent = {name: stub for name, stub in chosen.absent.items() if name not in own}
            if absent:
                evidence = _gather_evidence(
                    elf, conventions, tuple(absent), has_wrapper=has_wrapper
                )
                found.extend(_describe_absent(backend, absent, evidence))
    return tuple(found)


def _gather_evidence(
    elf: Elf, conventions: HostConventions, names: tuple[str, ...], *, has_wrapper: bool
) -> _Evidence:
    if conventions.register_kernel is None:
        return _Evidence(calls=None, named=None)
    if elf.type == "relocatable":
        calls = read_registrations(elf, conventions, names)
        if calls is None:
            return _Evidence(calls=None, named=None)
        by_kernel: dict[str, list[Registration]] = {}
        for call in calls:
            by_kernel.setdefault(call.kernel, []).append(call)
        return _Evidence(calls=by_kernel, named=None)
    # Without a wrapper, no container is registered, whatever names are in the data.
    return _Evidence(calls=None, named=find_names(elf, names) if has_wrapper else frozenset())


def _describe_absent(
    backend: str, absent: Mapping[str, Symbol], evidence: _Evidence
) -> Iterator[HostKernel]:
    """Yield those of the kernels without code that host code registers."""
    for name, stub in absent.items():
        if evidence.is_registered(name):
            yield HostKernel(
                backend=backend,
                kernel=name,
                symbol=None,
                stub=stub,
                is_registered=True,
                is_absent=True,
            )


def _read_backend(
    backend: str, host_names: dict[str, str], found: _Names, evidence: _Evidence
) -> Iterator[HostKernel]:
    shared: dict[str, int] = {}
    for host_name in host_names.values():
        shared[host_name] = shared.get(host_name, 0) + 1
    for name, host_name in host_names.items():
        stubs = found.stubs.get(host_name, [])
        candidates = found.identities.get(host_name, [])
        calls = (evidence.calls or {}).get(name, [])
        chosen = _choose(candidates, calls, has_unique_name=shared[host_name] == 1)
        for symbol in chosen or (None,):
            yield HostKernel(
                backend=backend,
                kernel=name,
                symbol=symbol,
                stub=_pick_stub(stubs, symbol, len(chosen)),
                is_registered=evidence.is_registered(name),
            )


def _choose(
    symbols: list[Symbol], calls: list[Registration], *, has_unique_name: bool
) -> tuple[Symbol, ...]:
    """Return those symbols of the kernel's host name that belong to the kernel.

    If no other kernel has this host name, all of them do. There are several if several sources
    define a file-local kernel with one mangled name. Otherwise, the symbol is the only one that the
    registrations of the kernel mention.
    """
    is_mangled = all(symbol.name.startswith("_Z") for symbol in symbols)
    if has_unique_name and (is_mangled or len(symbols) == 1):
        return tuple(symbols)
    mentioned = [s for s in symbols if any(s.place in call.places for call in calls)]
    return tuple(mentioned) if len(mentioned) == 1 else ()


def _pick_stub(stubs: list[Symbol], symbol: Symbol | None, siblings: int) -> Symbol | None:
    """Return the symbol's stub, or None if it is not certain which one it is."""
    return stubs[0] if symbol and len(stubs) == siblings == 1 else None


def _find_symbols(
    symbols: tuple[Symbol, ...], conventions: HostConventions, kernels: frozenset[str]
) -> _Names:
    """Find the defined symbols of kernels and stubs, each place once, the full table first."""
    found = _Names()
    seen: set[tuple[str, Place]] = set()
    for symbol in sorted(symbols, key=lambda symbol: symbol.dynamic):
        if symbol.type not in ("function", "object") or symbol.place is None:
            continue
        key = (symbol.name, symbol.place)
        if key in seen:
            continue
        seen.add(key)
        kernel = _identify(symbol, conventions, kernels)
        if kernel is not None:
            found.identities.setdefault(kernel, []).append(symbol)
        elif symbol.type == "function":
            candidates = conventions.kernels_of_stub(symbol.name)
            kernel = next((name for name in candidates if name in kernels), None)
            if kernel is not None:
                found.stubs.setdefault(kernel, []).append(symbol)
                continue
            # A C name is too short to be sure that a text in the file is the same name.
            candidates += conventions.kernels_of_identity(symbol.name)
            mangled = next((name for name in candidates if name.startswith("_Z")), None)
            if mangled is not None:
                found.absent[mangled] = symbol
    return found


def _identify(symbol: Symbol, conventions: HostConventions, kernels: frozenset[str]) -> str | None:
    """Return the kernel whose host identity the symbol is, judging by its name."""
    if symbol.type != conventions.identity_type:
        return None
    if symbol.name in kernels:
        return symbol.name
    candidates = list(conventions.kernels_of_identity(symbol.name))
    if symbol.binding == "local":
        candidates += remove_local_marks(symbol.name)
    return next((name for name in candidates if name in kernels), None)
