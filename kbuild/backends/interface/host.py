"""The seam of host code that other tools built: what inspect has to know of it.

Every tool registers kernels its own way, but all of them leave the same kinds of traces:
records that point to containers, calls of registration functions, symbols named after
kernels, and libraries that are linked.  The names are here, as values; what is done with
them is `kbuild.inspect`'s.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperConvention:
    """The records of ``section``: 24 bytes, magic, version, container and one word more.

    ``device_linked`` are those of the known ``versions`` that a device linker writes.
    """

    section: str
    magic: int
    versions: frozenset[int]
    device_linked: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeLibrary:
    """A library that GPU programs are linked to.

    ``file_name`` matches its soname, the version as group ``version`` where it has one;
    ``texts`` are all in the read-only data of a linked file that contains the library,
    stripped or not, and in no other's (empty: it cannot be told).  ``is_driver`` is one
    that comes with the system's driver, below the runtimes.
    """

    name: str
    file_name: re.Pattern[str]
    texts: tuple[bytes, ...] = ()
    is_driver: bool = False


def _no_kernels(symbol: str) -> tuple[str, ...]:  # noqa: ARG001 - no symbol has any
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConventions:
    """How the host side of one family of tools looks in a file.

    ``register_kernel`` is the function that registers a kernel, ``registrations`` that one
    and all others of its kind, ``unregister`` the one that takes a container back.
    ``link_symbols`` match what only a device link defines, ``link_sections`` hold lists of
    what one registers (LLVM's offloading entries), ``runtime_symbols`` what only the
    runtime does, ``claim`` what a package's name says of its runtime, the major version as
    group 1.  ``host_name`` gives the mangled name in the source for a
    kernel's name in an image.  Symbols of that name and of ``identity_type`` are what
    launches pass; ``kernels_of_identity`` gives the kernels, by the same name, that a
    symbol of another name may be, ``kernels_of_stub`` those whose launch stub a symbol
    that is no identity may be, the likeliest first.
    """

    wrapper: WrapperConvention | None = None
    register_kernel: str | None = None
    registrations: frozenset[str] = frozenset()
    unregister: str | None = None
    link_symbols: re.Pattern[str] | None = None
    link_sections: frozenset[str] = frozenset()
    runtime_symbols: re.Pattern[str] | None = None
    claim: re.Pattern[str] | None = None
    runtimes: tuple[RuntimeLibrary, ...] = ()
    identity_type: Literal["function", "object"] = "object"
    host_name: Callable[[str], str] = str
    kernels_of_identity: Callable[[str], tuple[str, ...]] = _no_kernels
    kernels_of_stub: Callable[[str], tuple[str, ...]] = _no_kernels


# A kernel in a kernel's name is rare enough; forged names could ask for a lot of work.
_MOST_STUBS: Final = 8
_PREFIX: Final = "__device_stub__"
_ENCODED_STUB: Final = re.compile(r"(\d{1,6})" + _PREFIX)


def kernels_of_prefixed_stub(symbol: str) -> tuple[str, ...]:
    """The kernel of a stub that clang made: its identifier bears a prefix.

    ``_ZN2ns20__device_stub__scaleEPffi`` gives ``_ZN2ns5scaleEPffi``.
    """
    if symbol.startswith(_PREFIX):
        return (symbol.removeprefix(_PREFIX),)
    matches = itertools.islice(_ENCODED_STUB.finditer(symbol), _MOST_STUBS)
    return tuple(name for match in matches for name in _without_prefix(symbol, match))


def _without_prefix(symbol: str, match: re.Match[str]) -> Iterator[str]:
    """The kernel for each way to read the length of the identifier.

    It may follow another number: ``_ZN12_GLOBAL__N_119__device_stub__anonEPi``.
    """
    for start in range(match.start(), match.end(1)):
        length = int(symbol[start : match.end(1)]) - len(_PREFIX)
        if symbol[start] != "0" and 0 < length <= len(symbol) - match.end():
            yield f"{symbol[:start]}{length}{symbol[match.end() :]}"
