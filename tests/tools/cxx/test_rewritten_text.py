"""Compilers accept what the rewriter writes, and every launch starts the right kernel.

The sources say after ``//>`` which kernels the launches of a line start, in order. The first
argument of a launch is its line. nvcc confirms these comments.
"""

from __future__ import annotations

import re
import subprocess
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from kbuild import resources
from kbuild.backends.cpu.mixed import qualifiers as q
from kbuild.backends.cpu.mixed.host_text import edit_host_text
from kbuild.cxx.kernels import find_kernels
from kbuild.cxx.launches import find_launches
from kbuild.cxx.model import Edit, HostText
from kbuild.cxx.rewriting.rewrite import rewrite
from kbuild.cxx.unit import Unit
from support.tools.toolchains import NEWER_CLANG, find_compiler, needs_backend, require_programs

SOURCES: Final = Path(__file__).parent / "launches"
INCLUDE: Final = f"-I{resources.native_directory() / 'include'}"
QUALIFIERS: Final = ("global", "host", "device", "launch_bounds")
DEFINITIONS: Final = tuple(f"-D__{name}__=__kbuild_{name}__" for name in QUALIFIERS)
STRICT: Final = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror")
FURTHER: Final = (
    "-Wno-gnu-line-marker",
    "-Wno-unknown-warning-option",
    "-Wcast-qual",
    "-Wuseless-cast",
    "-Wextra-semi",
)
# The warnings that a source itself causes.
ALLOWED: Final = {
    "modern": ("-Wno-shadow",),
    "shadows": ("-Wno-shadow", "-Wno-parentheses"),
}
OLD: Final = ("usual", "lookup", "places", "shadows", "spelling", "templates")
CXX20: Final = ("beyond_nvcc", "modern")
COMPILERS: Final = (("g++", 11), ("g++", 20), ("clang++", 11), (NEWER_CLANG, 20))
CASES: Final = [
    # Other compilers and another standard with the same launches.
    pytest.param(
        *(name, compiler, standard),
        marks=pytest.mark.slow if (compiler, standard) != ("g++", 20) else (),
    )
    for compiler, standard in COMPILERS
    for name in (OLD if standard == COMPILERS[0][1] else (*OLD, *CXX20))
]
# Not every demangler knows how newer versions write constraints into names.
SIMPLE_NAMES: Final = {NEWER_CLANG: ("-fclang-abi-compat=17",)}
NVCC: Final = ("-arch=compute_80", "-code=compute_80", "-std=c++20", "-cudart=none", "-w")
# The extent and the shared memory that launches have unless their comments say more.
USUAL: Final = "[1,1,1 2,1,1 0]"
EXPECTED: Final = re.compile(r"//> (.*)")


def run(*argv: str | Path, text: str | None = None) -> str:
    result = subprocess.run(argv, capture_output=True, text=True, check=False, input=text)
    assert result.returncode == 0, result.stderr
    return result.stdout


def preprocess(compiler: str, standard: int, source: Path, *options: str) -> str:
    return run(
        *(compiler, "-E", f"-std=c++{standard}", INCLUDE, *options),
        *("-include", "kbuild/chevron.hpp", "-x", "c++", source),
    )


def rewrite_host_text(text: str) -> str:
    """Rewrite the text as the CPU's host pass does."""
    code = Unit(text)
    edits = (
        q.define_qualifiers("host_text.h"),
        *edit_host_text(code, q.find_declarations(code)),
    )
    ordered = tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))
    found = HostText(kernels=find_kernels(code), launches=find_launches(code), edits=ordered)
    return rewrite(code, found, "unit").text


def build_object(directory: Path, text: str, compiler: str, *options: str) -> Path:
    """Compile rewritten text."""
    (directory / "text.cpp").write_text(text)
    # Line markers are an extension only in text that is not preprocessed.
    run(compiler, "-E", *options, "-w", directory / "text.cpp", "-o", directory / "text.ii")
    run(compiler, *options, "-g", "-c", directory / "text.ii", "-o", directory / "text.o")
    return directory / "text.o"


@pytest.fixture(scope="module")
def recorders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that compiles a runtime that prints launches, once per compiler."""
    directory = tmp_path_factory.mktemp("recorders")

    def compile_recorder(compiler: str) -> Path:
        recorder = directory / f"{compiler}.o"
        if not recorder.exists():
            run(compiler, INCLUDE, "-c", SOURCES / "recorder.cpp", "-o", recorder)
        return recorder

    return compile_recorder


def link_program(directory: Path, compiler: str, compiled: Path, recorder: Path) -> Path:
    """Link a program whose runtime is the recorder.

    Every kernel that the compiler does not emit gets an empty handle.
    """
    undefined = run("nm", "-u", "--format=just-symbols", compiled).split()
    handles = "".join(
        f".globl {symbol}\n{symbol}: .quad 0\n" for symbol in undefined if "kernel" in symbol
    )
    assembly = f'.data\n.balign 8\n{handles}.section .note.GNU-stack,"",@progbits\n'
    (directory / "kernels.s").write_text(assembly)
    run(
        *(compiler, "-no-pie", recorder, compiled),
        *(directory / "kernels.s", "-o", directory / "program"),
    )
    return directory / "program"


def read_symbols(program: Path) -> dict[str, str]:
    """Return the symbols of a program by their addresses, as printf writes them."""
    lines = (line.split() for line in run("nm", "--defined-only", program).splitlines())
    return {f"0x{int(address, 16):x}": name for address, _, name in lines if "kernel" in name}


def list_started(program: Path, symbols: dict[str, str]) -> dict[int, list[str]]:
    """Run a program, and return what it starts in each line."""
    rows = [line.split() for line in run(program).splitlines()]
    names = run("c++filt", text="\n".join(symbols.get(row[-1], row[-1]) for row in rows))
    started = defaultdict(list)
    for row, name in zip(rows, names.splitlines(), strict=True):
        started[int(row[0])].append(f"{name} [{' '.join(row[1:-1])}]")
    return dict(started)


def list_expected(source: Path) -> dict[int, list[str]]:
    expected = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        if (found := EXPECTED.search(line)) is not None:
            launches = found[1].split(" | ")
            expected[number] = [
                launch if re.search(r" \[\d[^]]*\]$", launch) else f"{launch} {USUAL}"
                for launch in launches
            ]
    return expected


def test_there_are_many_forms() -> None:
    launches = [list_expected(source) for source in SOURCES.glob("*.cu")]
    assert {source.stem for source in SOURCES.glob("*.cu")} == {*OLD, *CXX20}
    assert sum(len(each) for lines in launches for each in lines.values()) > 600


@pytest.mark.parametrize(("name", "compiler", "standard"), CASES)
def test_every_launch_starts_the_right_kernel(
    tmp_path: Path,
    recorders: Callable[[str], Path],
    name: str,
    compiler: str,
    standard: int,
) -> None:
    require_programs(compiler)
    source = SOURCES / f"{name}.cu"
    text = rewrite_host_text(preprocess(compiler, standard, source, *DEFINITIONS))
    options = (f"-std=c++{standard}", *STRICT, *FURTHER)
    options += (*ALLOWED.get(name, ()), *SIMPLE_NAMES.get(compiler, ()))

    compiled = build_object(tmp_path, text, compiler, *options)
    program = link_program(tmp_path, compiler, compiled, recorders(compiler))

    assert list_started(program, read_symbols(program)) == list_expected(source)


# nvcc reads only the sources of this test and none of kbuild's output, so one source is enough by
# default.
@pytest.mark.slow
@needs_backend("cuda")
@pytest.mark.parametrize(
    "name",
    ["usual", *(pytest.param(n, marks=pytest.mark.slow) for n in (*OLD[1:], "modern"))],
)
def test_nvcc_starts_the_same_kernels(tmp_path: Path, name: str) -> None:
    source = SOURCES / f"{name}.cu"
    run(find_compiler("cuda"), *NVCC, "-c", source, "-o", tmp_path / "launches.o")
    recorder = SOURCES / "cuda_recorder.cpp"
    run("g++", tmp_path / "launches.o", recorder, "-o", tmp_path / "program")

    assert list_started(tmp_path / "program", {}) == list_expected(source)


def test_the_device_pass_generates_the_kernels(tmp_path: Path) -> None:
    source = SOURCES / "usual.cu"
    device = ("-D__global__=__kbuild_global__", "-DKBUILD_DEVICE_CODE", "-D__device__=")
    text = preprocess("g++", 17, source, *device)
    code = Unit(text)
    edits = tuple(
        Edit(start=found.start(), end=found.end(), text="")
        for found in re.finditer("__kbuild_global__ ?", text)
    )
    found = HostText(kernels=find_kernels(code), launches=find_launches(code), edits=edits)
    (tmp_path / "text.ii").write_text(rewrite(code, found, "unit").text)
    run("g++", "-std=c++17", "-O2", "-c", tmp_path / "text.ii", "-o", tmp_path / "text.o")
    defined = run("nm", "--defined-only", "-C", tmp_path / "text.o")
    launches = {name for names in list_expected(source).values() for name in names}
    expected = {launch.rpartition(" [")[0] for launch in launches}
    assert [name for name in sorted(expected) if f" {name}\n" not in defined] == []


TEMPLATE: Final = "template <class T> __global__ void k(int, T) {}\n"
BASE: Final = "struct Base { void (*k)(int, int); };\n"
# nvcc compiles these forms. The texts for the compilers are rejected.
REJECTED: Final = {
    "the check of a template needs a constant, which a member of a base class is not": (
        ("g++", NEWER_CLANG),
        TEMPLATE + BASE + "struct D : Base { void f() { k<<<1, 2>>>(1, 2); } };\n",
    ),
    "clang cannot mangle the place of a launch in the type of a function": (
        (NEWER_CLANG,),
        TEMPLATE + "template <class T> auto f(T t) -> decltype(k<<<1, 2>>>(1, t)) {}\n"
        "void g() { f(1); }\n",
    ),
}


@pytest.mark.parametrize(
    ("compiler", "source"),
    [
        pytest.param(
            compiler,
            source,
            marks=pytest.mark.xfail(strict=True, reason=reason, raises=AssertionError),
            id=f"{number} {compiler}",
        )
        for number, (reason, (compilers, source)) in enumerate(REJECTED.items())
        for compiler in compilers
    ],
)
def test_rejected_forms_compile(tmp_path: Path, compiler: str, source: str) -> None:
    require_programs(compiler)
    (tmp_path / "a.cu").write_text(source)
    text = rewrite_host_text(preprocess(compiler, 20, tmp_path / "a.cu", *DEFINITIONS))

    build_object(tmp_path, text, compiler, "-std=c++20", "-w")


@needs_backend("cuda")
def test_nvcc_compiles_the_rejected_forms(tmp_path: Path) -> None:
    sources = [source for _, source in REJECTED.values()]
    forms = [f"namespace form_{index} {{\n{text}}}\n" for index, text in enumerate(sources)]
    (tmp_path / "a.cu").write_text("".join(forms))

    run(find_compiler("cuda"), *NVCC, "-c", tmp_path / "a.cu", "-o", tmp_path / "a.o")
