"""Compare the objects of kbuild's stub unit and of hipcc for the same source.

``DIFFERENCES`` lists the intended differences with their reasons.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from elftools.elf.elffile import ELFFile
from elftools.elf.relocation import RelocationSection
from elftools.elf.sections import SymbolTableSection

from kbuild import resources
from support.commands import PROJECTS, ROOT, run, run_kbuild, succeed
from support.tools.amd_tools import SMALL_HEADERS
from support.tools.recorded_hip import Recording, record
from support.tools.toolchains import needs_hipcc

SOURCES = PROJECTS / "hip_launch"
INCLUDE = resources.native_directory() / "include"
AMD = ("env", "HIP_PLATFORM=amd")
ARCH = "gfx90a"
INSTANCE = "_Z4copyIfEvPKT_PS0_"
STUBS = {
    "_ZN2ns5scaleEPffi": "_ZN2ns20__device_stub__scaleEPffi",
    INSTANCE: "_Z19__device_stub__copyIfEvPKT_PS0_",
    "_ZL3ownPi": "_ZL18__device_stub__ownPi",
    "_Z4overPii": "_Z19__device_stub__overPii",
    "_Z4overPid": "_Z19__device_stub__overPid",
    "_Z4move4PairPS_": "_Z19__device_stub__move4PairPS_",
    "plain": "__device_stub__plain",
}
# Flags of sections: writable, allocated, executable.
WRITABLE, CODE = 3, 6
VARIABLES = ("weights", "factor", "calls")
NAMED = "host files can name them, as they can name kernels"
FUNCTION = "a host compiler can make a [function with this name]"
# (symbol or section, property) -> (value of hipcc, value of kbuild, reason in the documentation)
DIFFERENCES: dict[tuple[str, str], tuple[object, object, str]] = {
    (INSTANCE, "binding"): ("WEAK", "GLOBAL", FUNCTION),
    (INSTANCE, "section"): (f".data.rel.ro.{INSTANCE}", f".text.kbuild.{INSTANCE}", FUNCTION),
    (INSTANCE, "flags"): (WRITABLE, CODE, "code that reports a call of the kernel"),
    ("weights", "binding"): ("LOCAL", "WEAK", NAMED),
    ("factor", "binding"): ("LOCAL", "WEAK", NAMED),
    ("calls", "binding"): ("LOCAL", "WEAK", NAMED),
    ("calls", "size"): (8, 24, "whose first word is clang's pointer"),
    ("calls", "section"): (".bss", ".data", "It can be distinguished from a host variable"),
    ("factor", "registered constant"): (1, 0, "images do not say it, and the runtime ignores it"),
}

pytestmark = needs_hipcc("clang++")


@dataclass(frozen=True)
class Object:
    """An ELF object: symbols and sections by name, and relocations by their target section."""

    data: bytes
    symbols: dict[str, dict[str, Any]]
    sections: dict[str, dict[str, Any]]
    relocations: dict[tuple[str, int], tuple[int, str, int]]

    def follow(self, section: str, offset: int) -> set[str]:
        """Return the names of the symbols or the section to which a relocated word points."""
        kind, target, addend = self.relocations[section, offset]
        assert kind == 1, "R_X86_64_64"
        home, value = target, addend
        if target in self.symbols:
            home, value = self.symbols[target]["section"], self.symbols[target]["value"] + addend
        found = {
            name
            for name, symbol in self.symbols.items()
            if (symbol["section"], symbol["value"]) == (home, value)
        }
        return found | ({home} if value == 0 else set())


def read_object(path: Path) -> Object:
    with path.open("rb") as file:
        elf = ELFFile(file)
        names = [section.name for section in elf.iter_sections()]
        symbol_table = elf.get_section_by_name(".symtab")
        assert isinstance(symbol_table, SymbolTableSection)
        table = list(symbol_table.iter_symbols())
        symbols = {symbol.name: _describe_symbol(symbol, names) for symbol in table if symbol.name}
        sections = {
            section.name: {
                "flags": section["sh_flags"],
                "alignment": section["sh_addralign"],
                "size": section["sh_size"],
                "offset": section["sh_offset"],
            }
            for section in elf.iter_sections()
        }
        relocations = {}
        for section in elf.iter_sections():
            if not isinstance(section, RelocationSection):
                continue
            for entry in section.iter_relocations():
                symbol = table[entry["r_info_sym"]]
                target = symbol.name or names[symbol["st_shndx"]]
                place = (names[section["sh_info"]], entry["r_offset"])
                relocations[place] = (entry["r_info_type"], target, entry["r_addend"])
    return Object(path.read_bytes(), symbols, sections, relocations)


def _describe_symbol(symbol: Any, names: list[str]) -> dict[str, Any]:
    index = symbol["st_shndx"]
    return {
        "type": symbol["st_info"]["type"].removeprefix("STT_"),
        "binding": symbol["st_info"]["bind"].removeprefix("STB_"),
        "visibility": symbol["st_other"]["visibility"].removeprefix("STV_"),
        "size": symbol["st_size"],
        "section": names[index] if isinstance(index, int) else index,
        "value": symbol["st_value"],
    }


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with the output of hipcc, and with kbuild's stub unit of the same source."""
    directory = tmp_path_factory.mktemp("layout")
    source = SOURCES / "layout.hip"
    manifest = f"""\
[target.layout]
sources = ["{source}"]
headers = ["{SOURCES / "layout.hpp"}"]
backend = "hip"
kind = "static"
architectures = ["{ARCH}"]
debug_stubs = true
visibility = "default"
compile_options = {list(SMALL_HEADERS)}
"""
    (directory / "kbuild.toml").write_text(manifest)
    succeed(run_kbuild("build", cwd=directory))
    command = (
        f"--offload-arch={ARCH}",
        "-std=c++17",
        *SMALL_HEADERS,
        "--include=hip/hip_runtime.h",
    )
    succeed(run(*AMD, "hipcc", *command, "-c", source, "-o", directory / "hipcc.o"))
    return directory


def compile_stub_unit(directory: Path, compiler: str) -> Path:
    (unit,) = directory.rglob("layout_stub.cpp")
    output = directory / f"{compiler}.o"
    flags = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}")
    succeed(run(compiler, *flags, "-fno-lto", "-c", unit, "-o", output))
    return output


@pytest.fixture(scope="module")
def theirs(directory: Path) -> Object:
    return read_object(directory / "hipcc.o")


@pytest.fixture(scope="module", params=["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def ours(directory: Path, request: pytest.FixtureRequest) -> Object:
    return read_object(compile_stub_unit(directory, request.param))


def compare(name: str, what: str, theirs: object, ours: object) -> None:
    expected = DIFFERENCES.get((name, what))
    if expected is None:
        assert theirs == ours, (name, what)
    else:
        assert (theirs, ours) == expected[:2], (name, what)


@pytest.mark.parametrize("kernel", STUBS)
def test_handles_match_hipcc(theirs: Object, ours: Object, kernel: str) -> None:
    their, our = theirs.symbols[kernel], ours.symbols[kernel]
    for what in ("type", "size", "binding", "visibility", "section"):
        compare(kernel, what, their[what], our[what])
    files = [(theirs, their), (ours, our)]
    flags = [file.sections[symbol["section"]]["flags"] & 7 for file, symbol in files]
    assert flags[0] == WRITABLE, "writable and allocated, for relocation"
    compare(kernel, "flags", *flags)
    assert our["value"] % 8 == 0
    # Each handle with data contains the address of its own stub only.
    for file, symbol in files[:1] if kernel == INSTANCE else files:
        names = file.follow(symbol["section"], symbol["value"])
        assert STUBS[kernel] in names
        assert not names & (set(STUBS.values()) - {STUBS[kernel]})


@pytest.mark.parametrize("kernel", STUBS)
def test_debug_stubs_match_hipcc(theirs: Object, ours: Object, kernel: str) -> None:
    their, our = theirs.symbols[STUBS[kernel]], ours.symbols[STUBS[kernel]]
    for what in ("type", "binding", "visibility"):
        compare(STUBS[kernel], what, their[what], our[what])
    assert our["type"] == "FUNC"


@pytest.mark.parametrize("variable", VARIABLES)
def test_shadows_match_hipcc(theirs: Object, ours: Object, variable: str) -> None:
    their, our = theirs.symbols[variable], ours.symbols[variable]
    for what in ("type", "size", "binding", "visibility"):
        compare(variable, what, their[what], our[what])
    compare(variable, "section", their["section"], our["section"].removesuffix(".rel.local"))


def test_container_sections_match_hipcc(theirs: Object, ours: Object) -> None:
    for name in (".hip_fatbin", ".hipFatBinSegment"):
        for what in ("flags", "alignment"):
            compare(name, what, theirs.sections[name][what], ours.sections[name][what])
    assert theirs.sections[".hip_fatbin"]["alignment"] == 4096
    for file in (theirs, ours):
        segment = file.sections[".hipFatBinSegment"]
        start = segment["offset"]
        assert segment["size"] == 24
        # Magic, version, the address below, null.
        words = struct.unpack("<IIQQ", file.data[start : start + 24])
        assert words == (0x48495046, 1, 0, 0)
        assert ".hip_fatbin" in file.follow(".hipFatBinSegment", 8)
        start = file.sections[".hip_fatbin"]["offset"]
        assert file.data[start : start + 24] == b"__CLANG_OFFLOAD_BUNDLE__"


def test_bundles_have_the_same_entries(theirs: Object, ours: Object) -> None:
    entries = []
    for file in (theirs, ours):
        section = file.sections[".hip_fatbin"]
        data = file.data[section["offset"] :]
        at, found = 32, []
        for _ in range(int.from_bytes(data[24:32], "little")):
            offset, _, length = struct.unpack("<QQQ", data[at : at + 24])
            found.append((offset, data[at + 24 : at + 24 + length].decode().rstrip("-")))
            at += 24 + length
        entries.append(found)
    assert entries[0] == entries[1]


@pytest.fixture(scope="module")
def recordings(directory: Path, hip_recorder: Path) -> dict[str, Recording]:
    (directory / "main.cpp").write_text("int main() { return 0; }\n")
    found = {}
    for name in ("hipcc", "g++"):
        compiled = directory / "hipcc.o" if name == "hipcc" else compile_stub_unit(directory, name)
        program = directory / f"{name}.out"
        succeed(run("g++", directory / "main.cpp", compiled, "-lamdhip64", "-o", program))
        found[name] = record(hip_recorder, program)
        assert found[name].returncode == 0, found[name].output
    return found


@pytest.mark.slow
def test_registration_calls_match_hipcc(recordings: dict[str, Recording]) -> None:
    theirs, ours = (recordings[name] for name in ("hipcc", "g++"))
    kernels, variables, order = [], [], []
    for recording in (theirs, ours):
        calls = [call for call in recording.calls if call["call"] != "hipGetDeviceCount"]
        order.append(list(dict.fromkeys(call["call"] for call in calls)))
        kernels.append([c["kernel"] for c in recording.select("__hipRegisterFunction")])
        found = recording.select("__hipRegisterVar", "__hipRegisterManagedVar")
        variables.append({c["variable"]: c for c in found})
    assert set(kernels[0]) == set(kernels[1]) == set(STUBS)
    assert len(kernels[0]) == len(kernels[1])
    for name in VARIABLES:
        for what in ("call", "size", "initial", "constant"):
            values = [registered[name].get(what) for registered in variables]
            compare(name, f"registered {what}", *values)
    # Register containers, kernels, and variables. At exit, unregister the container.
    expected = ["__hipRegisterFatBinary", "__hipRegisterFunction", "__hipRegisterVar"]
    expected += ["__hipRegisterManagedVar", "__hipUnregisterFatBinary"]
    assert sorted(order[0]) == sorted(order[1]) == sorted(expected)
    assert order[0][:2] == order[1][:2] == expected[:2]
    assert order[0][-1] == order[1][-1] == expected[-1]


def test_documentation_lists_the_differences() -> None:
    text = (ROOT / "docs/explanation/hip-backend.md").read_text()
    for _, _, reason in DIFFERENCES.values():
        assert reason in " ".join(text.split())
