"""Symbol versions: those that a file needs from its libraries, and those that it defines.

Source: Linux Standard Base, Core, "Symbol Versioning".
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Iterator
from typing import Any, Final

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerDefSection, GNUVerNeedSection

from kbuild.formats.elf.headers import Allowance

# The sizes in bytes of the entries that name a version.
_NEEDED_SIZE: Final = 16
_DEFINED_SIZE: Final = 8
_VER_FLG_BASE: Final = 1
_VER_FLG_WEAK: Final = 2
# The remaining bit of a version number marks symbols that are not the default version.
_NUMBER: Final = 0x7FFF


def read_needed_versions(file: ELFFile, allowance: Allowance) -> tuple[tuple[str, str], ...]:
    """Return the (library, version) pairs without which the file cannot be loaded.

    Versions that only weak references need are left out, because the dynamic linker only warns
    about them.
    """
    return tuple(
        (library, str(version.name))
        for library, version in _iterate_needed(file, allowance)
        if not version["vna_flags"] & _VER_FLG_WEAK
    )


def read_versioned_libraries(file: ELFFile, allowance: Allowance) -> tuple[str, ...]:
    """Return the libraries from which the file needs versions, including weak ones."""
    return tuple(dict.fromkeys(library for library, _ in _iterate_needed(file, allowance)))


def read_defined_versions(file: ELFFile, allowance: Allowance) -> tuple[str, ...]:
    """Return the versions that the file defines, including the file's own name."""
    return tuple(dict.fromkeys(name for _, name in _iterate_defined(file, allowance)))


def read_symbol_versions(
    file: ELFFile, versions: bytes, allowance: Allowance
) -> tuple[str | None, ...]:
    """Return the version of each dynamic symbol.

    Args:
        file: The ELF file.
        versions: The content of ``.gnu.version``.
        allowance: Limits the size of the names.

    Returns:
        One item per symbol: the version, or None if the symbol has no version and therefore
        matches every requested version.
    """
    names: dict[int, str] = {
        version["vna_other"] & _NUMBER: str(version.name)
        for _, version in _iterate_needed(file, allowance)
    }
    names |= {
        entry["vd_ndx"] & _NUMBER: name
        for entry, name in _iterate_defined(file, allowance)
        if not entry["vd_flags"] & _VER_FLG_BASE
    }
    count = len(versions) // 2
    numbers = struct.unpack(f"<{count}H", versions[: 2 * count])
    return tuple(names.get(number & _NUMBER) for number in numbers)


def _iterate_needed(file: ELFFile, allowance: Allowance) -> Iterator[tuple[str, Any]]:
    section = file.get_section_by_name(".gnu.version_r")
    if not isinstance(section, GNUVerNeedSection):
        return
    # In a damaged file, counts can have any value, and chains of entries can be circular.
    most = section["sh_size"] // _NEEDED_SIZE
    entries = (
        (str(library.name), version)
        for library, versions in itertools.islice(section.iter_versions(), most)
        for version in versions
    )
    for library, version in itertools.islice(entries, most):
        allowance.take(len(library) + len(version.name))
        yield library, version


def _iterate_defined(file: ELFFile, allowance: Allowance) -> Iterator[tuple[Any, str]]:
    section = file.get_section_by_name(".gnu.version_d")
    if not isinstance(section, GNUVerDefSection):
        return
    most = section["sh_size"] // _DEFINED_SIZE
    for entry, names in itertools.islice(section.iter_versions(), most):
        # The first name belongs to the definition itself, the others to its parents.
        for own in itertools.islice(names, 1):
            allowance.take(len(own.name))
            yield entry, str(own.name)
