"""The code of cubins: what tells one function's from another's.

A kernel is a section with its own subroutines in it, so that its bytes, its relocations and
its own constant banks are all there is to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from kbuild.facts import CodeFacts
from kbuild.formats.buffer import Buffer
from kbuild.formats.elf.code import (
    SHF_EXECINSTR,
    SHT_REL,
    SHT_RELA,
    STT_FUNC,
    STT_OBJECT,
    ElfCode,
    Span,
    digest,
    read_relocations,
)
from kbuild.formats.elf.device import EM_CUDA, SHT_NOBITS, DeviceElf, SectionHeader, SymbolEntry

_TEXT = b".text."
_BANK = b".nv.constant"
# Holds the parameters: zeros in the file.
_PARAMETERS = b".nv.constant0"
_GLOBAL = b".nv.global"
_STT_CUDA_OBJECT = 13
_NO_BANKS = frozenset({SHT_NOBITS, SHT_RELA, SHT_REL})


def read_cubin_code(data: Buffer, canonical: Callable[[str], str]) -> CodeFacts:
    """The digests of a cubin's functions and data; ``canonical`` takes noise from names."""
    elf = DeviceElf(data, EM_CUDA, "cubin")
    return CodeFacts(
        functions=tuple(_read_functions(elf, canonical)),
        data=tuple(_read_data(elf)),
    )


def find_symbol_numbers(data: Buffer, names: frozenset[str]) -> tuple[int, ...]:
    """Where the functions are in the symbol table: the disassembler wants numbers."""
    elf = DeviceElf(data, EM_CUDA, "cubin")
    wanted = {
        number
        for number, section in enumerate(elf.sections)
        if elf.has_name(section, _TEXT) and _function_name(elf, section) in names
    }
    return tuple(
        number
        for number, symbol in enumerate(elf.symbols)
        if symbol.section in wanted and symbol.info & 0xF == STT_FUNC and symbol.value == 0
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
        # Relocations belong to a section, too, and there are many.
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
    """The name for a digest: no part of a function's own name tells it from a renamed one."""
    name = elf.symbol_name(symbol)
    if not name:
        section = elf.section_of(symbol)
        name = elf.section_name(section) if section else ""
    return canonical(name.replace(owner, "@"))


def _read_data(elf: DeviceElf) -> Iterator[tuple[str, str]]:
    """Variables, and the sections of data that have no symbols; what is one function's is not."""
    code = ElfCode(elf)
    named: list[Span] = []
    for kind in (STT_OBJECT, _STT_CUDA_OBJECT):
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
