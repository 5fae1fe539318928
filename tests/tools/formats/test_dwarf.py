"""Reads signatures from the debug information of gcc and clang."""

from __future__ import annotations

import struct
import subprocess
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from kbuild.errors import InputError
from kbuild.formats.dwarf import Signature, read_signatures
from kbuild.formats.elf.file import Elf
from support.tools.toolchains import require_programs

SOURCE = """
enum class Byte : unsigned char { high = 200 };
enum Negative : short { low = -1 };
struct Aligned { char a; alignas(8) char b; };
struct Bits { int a : 5; int : 0; unsigned b : 7; };
struct __attribute__((packed)) Packed { char c; int i; };
struct Defaulted { Defaulted(const Defaulted &) = default; ~Defaulted() = default; int x; };
struct Copied { Copied(const Copied &); int x; };
struct Outside { Outside(const Outside &); int x; };
inline Outside::Outside(const Outside &) = default;
template <class T> struct Box { Box(const Box &); T x; };
struct Virtual { virtual void f(); int x; };
struct Plain { int f(); };
typedef float v4 __attribute__((vector_size(16)));

extern "C" void enums(Byte, Negative) {}
extern "C" void layouts(Aligned, Bits, Packed, v4) {}
extern "C" void copies(Defaulted, Copied *, Box<int> *) {}
extern "C" void values(Defaulted, Copied, Outside, Box<int>, Virtual) {}
extern "C" void members(int (Plain::*)(), int Plain::*, decltype(nullptr)) {}
extern "C" int result(int, ...) { return 1; }
extern "C" void references(int &, int &&, int *) {}
template <class... T> void pack(T...) {}
template void pack<int, float>(int, float);
"""
NAMES = ("enums", "layouts", "values", "members", "result", "references", "_Z4packIJifEEvDpT_")


@pytest.fixture(
    scope="module",
    params=[
        "g++",
        "g++ -gdwarf-4",
        "g++ -gz",
        "clang++-14",
        "clang++-19",
    ],
)
def signatures(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Signature]:
    compiler, *options = request.param.split()
    require_programs(compiler)
    directory: Path = tmp_path_factory.mktemp("dwarf")
    complete = "-femit-class-debug-always" if compiler == "g++" else "-fstandalone-debug"
    (directory / "a.cpp").write_text(SOURCE)
    subprocess.run(
        [
            compiler,
            "-w",
            "-g",
            complete,
            *options,
            "-c",
            directory / "a.cpp",
            "-o",
            directory / "a.o",
        ],
        check=True,
    )
    return read_signatures((directory / "a.o").read_bytes(), frozenset(NAMES))


def test_enumerations_have_their_underlying_kind(signatures: dict[str, Signature]) -> None:
    kinds = [(p.type.kind, p.type.size) for p in signatures["enums"].parameters]
    assert kinds == [("unsigned", 1), ("signed", 2)]


def test_layouts_match_the_declarations(signatures: dict[str, Signature]) -> None:
    aligned, bits, packed, vector = (p.type for p in signatures["layouts"].parameters)
    assert (aligned.size, aligned.alignment) == (16, 8)
    assert [(m.offset, m.bit_offset, m.bit_size) for m in bits.members] == [(0, 0, 5), (4, 0, 7)]
    assert (packed.size, packed.alignment) == (5, 1)
    assert (vector.kind, vector.size, vector.alignment) == ("vector", 16, 16)


def test_records_are_passed_by_value_or_reference(signatures: dict[str, Signature]) -> None:
    defaulted, *others, virtual = (p.type for p in signatures["values"].parameters)
    # DWARF 4 does not record whether a function is defaulted, but gcc does.
    assert [p.is_by_reference for p in (defaulted, *others)] == [False, True, True, True]
    assert {p.obstacle for p in (defaulted, *others)} == {None}
    assert virtual.obstacle == "has virtual functions or bases"


def test_strict_dwarf_4_does_not_tell_which_functions_are_defaulted(tmp_path: Path) -> None:
    (tmp_path / "a.cpp").write_text(
        'struct S { S(const S &) = default; int x; };\nextern "C" void f(S) {}\n'
    )
    options = ("-g", "-gdwarf-4", "-gstrict-dwarf", "-c", "a.cpp", "-o", "a.o")
    subprocess.run(["g++", *options], cwd=tmp_path, check=True)
    (found,) = read_signatures((tmp_path / "a.o").read_bytes(), frozenset("f"))["f"].parameters
    assert "-gstrict-dwarf does not describe" in (found.type.obstacle or "")


def test_pointers_to_members_have_their_size(signatures: dict[str, Signature]) -> None:
    sizes = [(p.type.kind, p.type.size) for p in signatures["members"].parameters]
    assert sizes == [("record", 16), ("signed", 8), ("pointer", 8)]


def test_result_types_and_ellipses_are_read(signatures: dict[str, Signature]) -> None:
    assert signatures["result"].result == "int"
    assert signatures["result"].is_variadic
    assert signatures["enums"].result is None
    assert not signatures["enums"].is_variadic


def test_references_are_not_pointers(signatures: dict[str, Signature]) -> None:
    kinds = [p.type.kind for p in signatures["references"].parameters]
    assert kinds == ["reference", "reference", "pointer"]


def test_parameter_packs_are_listed(signatures: dict[str, Signature]) -> None:
    names = [p.type.name for p in signatures["_Z4packIJifEEvDpT_"].parameters]
    assert names == ["int", "float"]


@pytest.mark.parametrize(
    ("attribute", "message"),
    [("DW_AT_sibling", "precedes its sibling"), ("DW_AT_type", "not a valid ELF file")],
)
def test_circular_references_are_errors(tmp_path: Path, attribute: str, message: str) -> None:
    source = tmp_path / "a.cpp"
    source.write_text("using T = const int;\nvoid f(T) {}\nvoid g(T *) {}\n")
    subprocess.run(["g++", "-g", "-c", source, "-o", tmp_path / "a.o"], check=True)
    data = bytearray((tmp_path / "a.o").read_bytes())
    with (tmp_path / "a.o").open("rb") as stream:
        file = ELFFile(stream)
        section = file.get_section_by_name(".debug_info")
        assert section is not None
        start = section["sh_offset"]
        unit = next(file.get_dwarf_info().iter_CUs())
        for die in unit.iter_DIEs():
            if attribute in die.attributes and die.tag != "DW_TAG_formal_parameter":
                reference = start + die.attributes[attribute].offset
                data[reference : reference + 4] = struct.pack("<I", die.offset - unit.cu_offset)

    with pytest.raises(InputError, match=message):
        read_signatures(bytes(data), frozenset({"_Z1fi", "_Z1gPKi"}))


@pytest.mark.parametrize("options", ["-gdwarf-4", "-gdwarf-5"])
def test_static_functions_in_two_places_are_found_by_their_address(
    options: str, tmp_path: Path
) -> None:
    """With gcc, code before a call of a cold function is in another section."""
    require_programs("g++")
    (tmp_path / "a.cpp").write_text(
        "__attribute__((cold)) void rare(int *);\n"
        "template <class T> static void k(T *p) { if (*p == 7) rare(p); else *p = 1; }\n"
        "void (*pointer)(int *) = k;\n"
    )
    command = ("g++", "-O2", "-g", options, "-c", tmp_path / "a.cpp", "-o", tmp_path / "a.o")
    subprocess.run(command, check=True)
    data = (tmp_path / "a.o").read_bytes()
    symbol = next(s for s in Elf(data).symbols if s.name == "_Z1kIiEvPT_")
    assert ".cold" in " ".join(s.name for s in Elf(data).symbols)
    assert symbol.place is not None

    place = (symbol.place.section, symbol.place.offset)
    found = read_signatures(data, frozenset(), {place: "k"})
    assert [parameter.name for parameter in found["k"].parameters] == ["p"]
