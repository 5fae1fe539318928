"""Select the symbols of a host file that can concern kernels or other files."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, TypeAlias

from kbuild.backends import find_backend, list_host_conventions
from kbuild.backends.interface.host import HostConventions
from kbuild.demangle.stub_names import PREFIX
from kbuild.facts import Symbol
from kbuild.formats.elf.constants import STB_WEAK, STT_FUNC, STT_OBJECT
from kbuild.formats.elf.file import Elf
from kbuild.formats.elf.symbol_entries import SymbolEntry

SymbolType: TypeAlias = Literal["function", "object"]

# In mangled names, an `L` before the identifier marks a file-local entity (GNU and clang).
_LOCAL: Final = re.compile(r"L(?=[1-9])")
_ENCODED_LOCAL: Final = re.compile(_LOCAL.pattern.encode())
_TYPES: Final[dict[int, SymbolType]] = {STT_OBJECT: "object", STT_FUNC: "function"}
_WEAK_FUNCTION: Final = STB_WEAK << 4 | STT_FUNC
# An instance of a function template whose result is `void`.
_TEMPLATE: Final = re.compile(rb"_Z.*I.*Ev")
# Only this many marks of a name are tried, because a forged name could cause a lot of work.
_MAX_MARKS: Final = 64
# nvcc's stubs have one underscore less: `_ZL32__device_stub__Z5scalePffPff`.
_STUB: Final = PREFIX.removesuffix("_").encode()


def select_symbols(
    elf: Elf,
    handles: frozenset[str],
    kernels: Mapping[str, tuple[str, ...]],
    variables: frozenset[str] = frozenset(),
) -> tuple[Symbol, ...]:
    """Return the symbols that rules or other readers need, in file order.

    These are all symbols of an object file. Of a linked file, they are the dynamic and the
    undefined symbols, and those that can belong to kernels, stubs, device variables, and their
    registration. A large library has many other symbols. Of a program, they are also the functions
    that a host compiler can have made from the bodies of kernel templates.

    Args:
        elf: The host file.
        handles: The names of the handles and stubs in the kernel tables of kbuild.
        kernels: The names of the other kernels by backend.
        variables: The names of the device variables that host code might name.
    """
    if elf.type == "relocatable":
        return elf.symbols
    names = set(handles | variables).union(*(c.registrations for _, c in list_host_conventions()))
    families = [(c, k) for backend, k in kernels.items() if (c := find_backend(backend).host)]
    for conventions, found in families:
        names.update(map(conventions.host_name, found))
    encoded_names = frozenset(name.encode("utf-8", "replace") for name in names)

    is_program = elf.type == "executable"

    def is_needed(name: bytes, entry: SymbolEntry) -> bool:
        if entry.section == 0 or name in encoded_names:
            return True
        kind = _TYPES.get(entry.info & 0xF)
        is_local = entry.info >> 4 == 0
        is_stub = _STUB in name
        if is_program and entry.info == _WEAK_FUNCTION and _TEMPLATE.match(name):
            return True
        if kind is None or not (is_stub or (is_local and _ENCODED_LOCAL.search(name))):
            return False
        # Stubs of kbuild's kernels that should not exist are needed, too, and those of kernels
        # that no image contains.
        if is_stub and handles:
            return True
        symbol = name.decode("utf-8", "replace")
        owners = (owner for c, _ in families for owner in _list_owners(symbol, kind, c))
        return any(is_stub or owner in names for owner in owners)

    return tuple(elf.find_symbols(is_needed))


def _list_owners(symbol: str, kind: SymbolType, conventions: HostConventions) -> Iterator[str]:
    """Yield the kernels to which a symbol with another name than theirs can belong."""
    if kind == "function":
        yield from conventions.kernels_of_stub(symbol)
    if kind == conventions.identity_type:
        yield from conventions.kernels_of_identity(symbol)
        yield from remove_local_marks(symbol)


def remove_local_marks(symbol: str) -> Iterator[str]:
    """Yield the symbol's name with each possible file-local mark removed.

    nvcc makes file-local kernels global in device code: ``_ZL5scalePf`` becomes
    ``_Z5scalePf`` there.
    """
    if symbol.startswith("_Z"):
        for match in itertools.islice(_LOCAL.finditer(symbol), _MAX_MARKS):
            yield symbol[: match.start()] + symbol[match.end() :]
