"""The signatures of the functions that an object defines."""

from __future__ import annotations

import io
import os
import struct
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from elftools.dwarf.compileunit import CompileUnit
from elftools.dwarf.die import DIE
from elftools.dwarf.ranges import BaseAddressEntry, RangeLists, RangeListsPair

from kbuild.errors import InputError
from kbuild.formats.dwarf.entries import (
    find_holder,
    origin_of,
    qualified_name,
    read_text,
    type_name,
)
from kbuild.formats.dwarf.model import Parameter, Signature
from kbuild.formats.dwarf.relocations import relocate_debug_sections
from kbuild.formats.dwarf.value_types import type_of
from kbuild.formats.elf.constants import SHF_EXECINSTR
from kbuild.formats.elf.sections import SectionFile, guard

_NO_PLACES: Final[Mapping[tuple[int, int], str]] = {}
_SYMBOL: Final = struct.Struct("<IBBHQQ")  # Elf64_Sym
_SECTION_BITS: Final = 32  # no section is larger
_DWARF_5: Final = 5
# Builds tell compilers that they run here, so that objects do not depend on the directory.
_CURRENT_DIRECTORY: Final = "/proc/self/cwd/"


def read_signatures(
    data: bytes, names: frozenset[str], places: Mapping[tuple[int, int], str] = _NO_PLACES
) -> dict[str, Signature]:
    """Return the signatures of functions that the object defines.

    Args:
        data: The object file.
        names: Linkage names. For functions with internal linkage, for which compilers write no
            linkage name, use the qualified name.
        places: More functions: the name for the result by the index of the section and the offset
            in it.

    Returns:
        The signatures by name. Functions without debug information, and qualified names that
        several functions share, are left out.

    Raises:
        InputError: The debug information cannot be read.
    """
    return guard(lambda: _read(data, names, places))


def _read(
    data: bytes, names: frozenset[str], places: Mapping[tuple[int, int], str]
) -> dict[str, Signature]:
    object_file = SectionFile(io.BytesIO(data))
    if not object_file.has_dwarf_info():
        return {}
    patched = bytearray(data)
    if places:
        _separate_sections(object_file, patched)
    addresses = {
        (section << _SECTION_BITS) + offset: name for (section, offset), name in places.items()
    }
    is_relocated = relocate_debug_sections(object_file, patched)
    file = SectionFile(io.BytesIO(bytes(patched)))
    found: dict[str, Signature] = {}
    shared: set[str] = set()
    info = file.get_dwarf_info(relocate_dwarf_sections=not is_relocated)
    ranges = info.range_lists()
    units = tuple(info.iter_CUs())
    for unit in units:
        _check_order(unit)
    for unit in units:
        for die in _functions(unit.get_top_DIE()):
            starts = _list_addresses(die, unit, ranges)
            known = {addresses[start] for start in starts if start in addresses}
            for name in known or _names_of(die) & names:
                if name in found:
                    shared.add(name)
                found[name] = _signature(die)
    return {name: value for name, value in found.items() if name not in shared}


def _check_order(unit: CompileUnit) -> None:
    """Make iteration over the children of an entry raise InputError if they go back.

    In forged files, an entry can name an earlier one as its sibling. pyelftools would follow such
    references forever.
    """
    iterate = unit.iter_DIE_children

    def iterate_checked(die: DIE) -> Iterator[DIE]:
        last = die.offset
        for child in iterate(die):
            if child.offset <= last:
                raise InputError(f"the debug information entry at {last:#x} precedes its sibling")
            last = child.offset
            yield child

    unit.iter_DIE_children = iterate_checked  # type: ignore[method-assign]


def _list_addresses(
    function: DIE, unit: CompileUnit, ranges: RangeLists | RangeListsPair | None
) -> Iterator[int]:
    """Yield the starts of a function's parts; gcc moves unlikely code to another section."""
    start = function.attributes.get("DW_AT_low_pc")
    if start is not None:
        yield int(start.value)
    elif ranges is not None:
        base = 0
        where = function.attributes["DW_AT_ranges"].value
        for entry in ranges.get_range_list_at_offset(where, unit):
            if isinstance(entry, BaseAddressEntry):
                base = int(entry.base_address)
            else:
                yield int(entry.begin_offset) + (0 if entry.is_absolute else base)


def _separate_sections(file: SectionFile, data: bytearray) -> None:
    """Move each code section of a file to its own addresses, so that an address tells the section.

    All sections of an object start at zero. The symbols change, to which pyelftools relocates the
    debug information.
    """
    code = {
        index
        for index, section in enumerate(file.iter_sections())
        if section["sh_flags"] & SHF_EXECINSTR
    }
    for table in file.iter_sections("SHT_SYMTAB"):
        for index in range(table["sh_size"] // _SYMBOL.size):
            start = table["sh_offset"] + index * _SYMBOL.size
            name, info, other, section, value, size = _SYMBOL.unpack_from(data, start)
            if section in code:
                value += section << _SECTION_BITS
                _SYMBOL.pack_into(data, start, name, info, other, section, value, size)


def _functions(scope: DIE) -> Iterator[DIE]:
    """Yield the function definitions in a scope and in the namespaces inside it."""
    for die in scope.iter_children():
        if die.tag == "DW_TAG_namespace":
            yield from _functions(die)
        elif die.tag == "DW_TAG_subprogram" and (
            "DW_AT_low_pc" in die.attributes or "DW_AT_ranges" in die.attributes
        ):
            yield die


def _names_of(function: DIE) -> set[str]:
    linkage_name = read_text(function, "DW_AT_linkage_name")
    if linkage_name is not None:
        return {linkage_name}
    # A function without a linkage name is either extern "C", and its plain name is the symbol,
    # or has internal linkage.
    declared = find_holder(function, "DW_AT_name")
    if declared is None:
        return set()
    declared = _first_declaration(declared)
    return {declared.attributes["DW_AT_name"].value.decode(), qualified_name(declared)}


def _first_declaration(die: DIE) -> DIE:
    origin = origin_of(die)
    return die if origin is None else _first_declaration(origin)


def _signature(function: DIE) -> Signature:
    result = find_holder(function, "DW_AT_type")
    return Signature(
        parameters=tuple(_parameters(function)),
        result=type_name(result.get_DIE_from_attribute("DW_AT_type")) if result else None,
        is_variadic=_is_variadic(function),
        place=_describe_place(function),
    )


def _describe_place(function: DIE) -> str:
    declared = find_holder(function, "DW_AT_decl_line")
    file = find_holder(function, "DW_AT_decl_file")
    if declared is None or file is None:
        return ""
    name = _list_files(file.cu).get(file.attributes["DW_AT_decl_file"].value)
    return f"{name}:{declared.attributes['DW_AT_decl_line'].value}" if name else ""


@lru_cache(maxsize=1)
def _list_files(unit: CompileUnit) -> Mapping[int, str]:
    """Return the files of a unit by their numbers, which count from 1 before DWARF 5."""
    program = unit.dwarfinfo.line_program_for_CU(unit)
    if program is None:
        return {}
    is_new = program["version"] >= _DWARF_5
    directories = [b"" if is_new else b".", *program["include_directory"]][is_new:]
    return {
        number: _join(directories[file.dir_index], file.name)
        for number, file in enumerate(program["file_entry"], 0 if is_new else 1)
        if file.dir_index < len(directories)
    }


def _join(directory: bytes, name: bytes) -> str:
    """Return a path as a user writes it, without a directory that stands for the current one."""
    path = Path(os.fsdecode(directory), os.fsdecode(name))
    return str(path).removeprefix(_CURRENT_DIRECTORY)


def _is_variadic(function: DIE) -> bool:
    origin = origin_of(function)
    return any(die.tag == "DW_TAG_unspecified_parameters" for die in function.iter_children()) or (
        origin is not None and _is_variadic(origin)
    )


def _parameters(function: DIE) -> Iterator[Parameter]:
    for die in function.iter_children():
        if die.tag == "DW_TAG_formal_parameter":
            yield Parameter(name=read_text(die, "DW_AT_name"), type=type_of(die))
        elif die.tag == "DW_TAG_GNU_formal_parameter_pack":
            # Only gcc writes packs; clang lists their parameters directly.
            yield from _parameters(die)
