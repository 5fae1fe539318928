"""Digests of the functions and data in a cubin, for comparing builds.

A kernel is a section that also contains the kernel's subroutines. Its code is completely
described by the bytes and relocations of this section and by the kernel's constant banks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import ElfCode, Span, digest, read_relocations
from kbuild.formats.elf.constants import (
    EM_CUDA,
    SHF_EXECINSTR,
    SHT_NOBITS,
    SHT_REL,
    SHT_RELA,
    STT_CUDA_OBJECT,
    STT_FUNC,
    STT_OBJECT,
)
from kbuild.formats.elf.device import DeviceElf
from kbuild.formats.elf.headers import SectionHeader
from kbuild.formats.elf.symbol_entries import SymbolEntry

_TEXT = b".text."
_BANK = b".nv.constant"
# Constant bank 0 contains the parameters, which are zeros in the file.
_PARAMETERS = b".nv.constant0"
_GLOBAL = b".nv.global"
_NO_BANKS = frozenset({SHT_NOBITS, SHT_RELA, SHT_REL})


def read_cubin_code(data: Buffer, canonical: Callable[[str], str]) -> CodeFacts:
    """Return the digests of the functions and data in a cubin.

    Args:
        data: The cubin.
        canonical: A function that removes the parts of a name that vary between builds.
    """
    elf = DeviceElf(data, EM_CUDA, "cubin")
    return CodeFacts(
        functions=tuple(_read_functions(elf, canonical)),
        data=tuple(_read_data(elf)),
    )


def find_symbol_numbers(data: Buffer, names: frozenset[str]) -> tuple[int, ...]:
    """Return the symbol table indexes of these functions, which the disassembler needs."""
    elf = DeviceElf(data, EM_CUDA, "cubin")
    sections = {
        number
        for number, section in enumerate(elf.sections)
        if elf.has_name(section, _TEXT) and _function_name(elf, section) in names
    }
    return tuple(
        number
        for number, symbol in enumerate(elf.symbols)
        if symbol.section in sections and symbol.info & 0xF == STT_FUNC and symbol.value == 0
    )


def _function_name(elf: DeviceElf, section: SectionHeader) -> str:
    return elf.section_name(section)[len(_TEXT) :]


def _read_functions(elf: DeviceElf, canonical: Callable[[str], str]) -> Iterator[tuple[str, str]]:
    relocations = read_relocations(elf)
    banks: dict[int, list[SectionHeader]] = {}
    code: list[tuple[int, SectionHeader]] = []
    for number, section in enumerate(elf.sections):
        if section.flags & SHF_EXECINSTR:
            if elf.has_name(section, _TEXT):
                code.append((number, section))
        # The type is checked first, because there are many relocation sections.
        elif section.info and section.type not in _NO_BANKS and _is_own_bank(elf, section):
            banks.setdefault(section.info, []).append(section)
    for number, section in code:
        name = _function_name(elf, section)
        rows = [
            f"{offset} {kind} {_symbol_name(elf, symbol, name, canonical)} {addend}\n".encode(
                "utf-8", "surrogatepass"
            )
            for offset, kind, symbol, addend in relocations.get(number, ())
        ]
        contents = [elf.content(bank) for bank in banks.get(number, ())]
        yield name, digest((elf.content(section), *rows, *contents))


def _is_own_bank(elf: DeviceElf, section: SectionHeader) -> bool:
    return elf.has_name(section, _BANK) and not elf.has_name(section, _PARAMETERS)


def _symbol_name(
    elf: DeviceElf, symbol: SymbolEntry, owner: str, canonical: Callable[[str], str]
) -> str:
    """Return the name for a digest, so that renaming a function does not change its digest."""
    name = elf.symbol_name(symbol)
    if not name:
        section = elf.section_of(symbol)
        name = elf.section_name(section) if section else ""
    return canonical(name.replace(owner, "@"))


def _read_data(elf: DeviceElf) -> Iterator[tuple[str, str]]:
    """Yield variables and data sections without symbols, except for data of one function."""
    code = ElfCode(elf)
    named: list[Span] = []
    for kind in (STT_OBJECT, STT_CUDA_OBJECT):
        named += [span for span in code.spans(kind) if not span.section.info and span.section.name]
    owners = {span.section for span in named}
    for span in named:
        if elf.has_name(span.section, _BANK) or elf.has_name(span.section, _GLOBAL):
            yield span.name, code.digest(span)
    for section in elf.sections:
        if section.info or not section.size or section.flags & SHF_EXECINSTR:
            continue
        is_data = elf.has_name(section, _BANK) or elf.has_name(section, _GLOBAL)
        if is_data and section not in owners:
            name = elf.section_name(section)
            yield name, code.digest(Span(name, section, 0, section.size))
