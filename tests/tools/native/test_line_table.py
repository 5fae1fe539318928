"""The reader of DWARF line tables in the CPU runtime, which reports of crashes use."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from kbuild.backends.cpu.options.lines import compute_checksum
from support.commands import ROOT, run, succeed
from support.tools.toolchains import require_programs

HERE = Path(__file__).parent
CPU = ROOT / "kbuild" / "native" / "cpu"
SECTIONS = (".debug_line", ".debug_line_str")
SOURCE = """\
#include <vector>
#include "below/header.hpp"
int sum(const std::vector<int>& numbers, int by) {
    int total = 0;
    for (const int number : numbers) {
        if (number % 3 == 0) continue;
        total += twice(number) / by;
    }
    return total;
}
int other(int a) {
    std::vector<int> numbers(static_cast<unsigned>(a), a);
    return sum(numbers, a + 1);
}
"""
HEADER = """\
inline int twice(int number) {
    if (number > 1000) return number;
    return 2 * number;
}
"""


# Sanitizers double the time that the program takes to compile.
SANITIZERS = (
    (),
    pytest.param(
        ("-fsanitize=address,undefined", "-fno-sanitize-recover=all"), marks=pytest.mark.slow
    ),
)


@pytest.fixture(scope="module", params=SANITIZERS, ids=["plain", "sanitized"])
def reader(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the test program."""
    program = tmp_path_factory.mktemp("reader") / "line_table_test"
    sources = (HERE / "line_table_test.cpp", *sorted((CPU / "crashes").glob("line_*.cpp")))
    succeed(
        run(
            *("g++", "-std=c++17", "-g", "-Wall", "-Wextra", "-Wpedantic", "-Werror"),
            *(
                *request.param,
                f"-I{CPU}",
                f"-I{ROOT / 'kbuild' / 'native' / 'include'}",
                *sources,
                "-o",
                program,
            ),
        )
    )
    return program


def compile_library(directory: Path, *compiler: str) -> Path:
    (directory / "below").mkdir()
    (directory / "source.cpp").write_text(SOURCE)
    (directory / "below" / "header.hpp").write_text(HEADER)
    library = directory / "library.so"
    succeed(run(*compiler, "-g", "-fPIC", "-shared", "source.cpp", "-o", library, cwd=directory))
    return library


@pytest.mark.parametrize(
    ("compiler", "version"),
    [
        (("g++", "-O2"), 5),
        (("clang++", "-O0"), 4),
        *(
            pytest.param((compiler, level), version, marks=pytest.mark.slow)
            for compiler, level, version in (
                *(("g++", "-O2", 4), ("g++", "-O0", 4), ("g++", "-O0", 5)),
                *(("clang++", "-O0", 5), ("clang++", "-O2", 4), ("clang++", "-O2", 5)),
            )
        ),
    ],
)
def test_lines_are_those_of_another_reader(
    reader: Path, tmp_path: Path, compiler: tuple[str, ...], version: int
) -> None:
    require_programs(compiler[0], "objcopy")
    library = compile_library(tmp_path, *compiler, f"-gdwarf-{version}")
    lines_only = tmp_path / "lines.so"
    kept = [f"--keep-section={name}" for name in SECTIONS]
    succeed(run("objcopy", "--strip-debug", *kept, library, lines_only))
    expected = _read_lines(library)
    assert len(expected) > 50

    found = succeed(run(reader, lines_only, *expected)).splitlines()

    names = [line[line.rfind("/") + 1 :] for line in found]
    assert names == list(expected.values())
    assert any("below/header.hpp" in line for line in found)


def _read_lines(library: Path) -> dict[int, str]:
    """Return the lines of all addresses, as pyelftools reads them."""
    lines = {}
    with library.open("rb") as file:
        dwarf = ELFFile(file).get_dwarf_info()
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            assert program is not None
            first = 0 if program["version"] >= 5 else 1
            states = [entry.state for entry in program.get_entries() if entry.state]
            for state, after in itertools.pairwise(states):
                if state.end_sequence or state.line == 0 or state.address == after.address:
                    continue
                name = program["file_entry"][state.file - first].name.decode()
                for address in range(state.address, after.address):
                    lines[address] = f"{Path(name).name}:{state.line}"
    return lines


@pytest.mark.parametrize(
    "source",
    [
        b"int a;\nint b;",
        b"int a; // c\n\n  int b; /* c */ \t\r\n\n",
        b'"http://a";  \n//\n/*\n*/ int c;\n / /\n \xff',
        b"int a; /* b */ int c; /*/ d\n/**/ e /**/ // f",
        b"\n",
    ],
)
def test_checksums_are_those_of_builds(reader: Path, tmp_path: Path, source: bytes) -> None:
    path = tmp_path / "source.cu"
    path.write_bytes(source)

    assert succeed(run(reader, "checksum", path)) == f"{compute_checksum(source):08x}\n"
