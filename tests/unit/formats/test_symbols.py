"""Tests of symbol tables, on the Python interpreter itself."""

from __future__ import annotations

import struct
import sys
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from kbuild.errors import InputError
from kbuild.formats.elf.file import Elf

INTERPRETER = Path(sys.executable).resolve()


@pytest.fixture(scope="module")
def elf() -> Elf:
    return Elf(INTERPRETER.read_bytes())


def test_symbols_equal_those_of_pyelftools(elf: Elf) -> None:
    with INTERPRETER.open("rb") as stream:
        expected = [
            (symbol.name, symbol["st_value"], symbol["st_size"], str(symbol["st_shndx"]))
            for section in ELFFile(stream).iter_sections()
            if isinstance(section, SymbolTableSection)
            for symbol in section.iter_symbols()
        ]

    assert [(s.name, s.value, s.size) for s in elf.symbols] == [row[:3] for row in expected]
    assert [str(s.place.section) for s in elf.symbols if s.place] == [
        row[3] for row in expected if row[3].isdigit()
    ]


def test_unwanted_symbols_are_left_out_except_for_dynamic_ones(elf: Elf) -> None:
    dynamic = [symbol for symbol in elf.symbols if symbol.dynamic]
    assert list(elf.find_symbols(lambda *_: False)) == dynamic
    assert list(elf.find_symbols(lambda *_: True)) == list(elf.symbols)


def test_table_that_ends_after_the_file_is_an_error(elf: Elf) -> None:
    table = next(s for s in elf.sections if s.type == "SHT_DYNSYM")
    data = bytearray(INTERPRETER.read_bytes())
    header = elf.file.header["e_shoff"] + 64 * table.index
    data[header + 24 : header + 40] = struct.pack("<QQ", len(data) - 24, 48)
    damaged = Elf(bytes(data))
    with pytest.raises(InputError, match=r"\.dynsym ends after the end of the file"):
        _ = damaged.symbols
