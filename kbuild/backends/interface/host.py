"""The ``host`` capability: recognize host code that other tools built.

Every tool registers kernels in its own way, but all of them leave the same kinds of traces:
records that point to containers, calls of registration functions, symbols that are named after
kernels, and libraries that are linked. This module defines the values; `kbuild.inspect` uses them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Final, Literal

from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class WrapperConvention:
    """The records that point to containers.

    A record has 24 bytes: a magic number, a version, a pointer to the container, and one more
    word.

    Attributes:
        section: The section that holds the records.
        magic: The magic number.
        versions: The known versions.
        device_linked: The versions that a device linker writes.
        split_magic: The magic number if a tool moved the images to other files. The pointer then
            leads to ``split_section``.
        split_section: The section that says which files have the images.
    """

    section: str
    magic: int
    versions: frozenset[int]
    device_linked: frozenset[int] = frozenset()
    split_magic: int | None = None
    split_section: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuntimeLibrary:
    """A library that GPU programs are linked to.

    Attributes:
        name: The name of the library.
        file_name: Matches its soname, with the version as the group ``version``.
        texts: Strings that the read-only data of a linked file contains if the library is linked
            statically, even if the file is stripped. Empty if this cannot be recognized.
        is_driver: Whether the library comes with the system's driver.
        is_bound_to_kernel: Whether the library works only with the kernel module of the same
            release, so that only the installation of the driver can provide it.
        no_device: The status that its functions return if there is no device; None if unknown.
    """

    name: str
    file_name: re.Pattern[str]
    texts: tuple[bytes, ...] = ()
    is_driver: bool = False
    is_bound_to_kernel: bool = False
    no_device: int | None = None

    def is_copy(self, soname: str) -> bool:
        """Return whether the name has a hash, as `auditwheel repair` gives to copies."""
        return bool(self.file_name.fullmatch(soname)) and not soname.startswith(
            f"lib{self.name}.so"
        )


def match_soname(name: str) -> re.Pattern[str]:
    """Return the pattern of a library's sonames, with and without a version.

    Wheels contain copies with a hash in the name: ``libcudart-1a2b3c4d.so.13`` by auditwheel, and
    ``libcudart.1a2b3c4d.so.13`` by torchvision's `relocate.py`.
    """
    return re.compile(rf"lib{name}(?:[-.][0-9a-f]+)?\.so(?:\.(?P<version>\d[\d.]*))?")


def _no_kernels(_: str) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class HostConventions:
    """The conventions that the host code of one family of tools follows.

    Attributes:
        wrapper: The records that point to containers.
        register_kernel: The function that registers a kernel.
        registrations: All functions that register something.
        unregister: The function that removes the registration of a container.
        link_symbols: Matches symbols that only a device link defines.
        link_sections: Sections that list what a device link registers (LLVM's offloading
            entries).
        runtime_symbols: Matches symbols that only the runtime defines.
        claim: Matches what a package's name says about its runtime, with the major version as
            group 1.
        runtimes: The libraries that such host code is linked to.
        identity_type: The type of the symbols that launches pass.
        host_name: Returns a kernel's mangled name in the source for its name in an image.
        kernels_of_identity: Returns the kernels, by their name in the source, whose identity a
            symbol of another name can be.
        kernels_of_stub: Returns the kernels whose launch stub a symbol can be, the most likely
            first.
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


# Names that contain several encoded stubs are rare, and forged names must not cost much time.
_MOST_STUBS: Final = 8
_PREFIX: Final = "__device_stub__"
_ENCODED_STUB: Final = re.compile(r"(\d{1,6})" + _PREFIX)


def kernels_of_prefixed_stub(symbol: str) -> tuple[str, ...]:
    """Return the kernel of a stub that clang made, whose identifier has a prefix.

    For example, the stub ``_ZN2ns20__device_stub__scaleEPffi`` belongs to ``_ZN2ns5scaleEPffi``.
    """
    if symbol.startswith(_PREFIX):
        return (symbol.removeprefix(_PREFIX),)
    matches = itertools.islice(_ENCODED_STUB.finditer(symbol), _MOST_STUBS)
    return tuple(name for match in matches for name in _without_prefix(symbol, match))


def _without_prefix(symbol: str, match: re.Match[str]) -> Iterator[str]:
    """Yield the kernel for each way to read the length of the identifier.

    The length can follow another number, as in ``_ZN12_GLOBAL__N_119__device_stub__anonEPi``.
    """
    for start in range(match.start(), match.end(1)):
        length = int(symbol[start : match.end(1)]) - len(_PREFIX)
        if symbol[start] != "0" and 0 < length <= len(symbol) - match.end():
            yield f"{symbol[:start]}{length}{symbol[match.end() :]}"
