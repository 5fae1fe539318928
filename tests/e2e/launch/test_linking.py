"""Kernels linked with all kinds of libraries, programs, compilers, flags, and linkers."""

from __future__ import annotations

import itertools
import shutil
import signal
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.inspect import inspect_path
from kbuild.verify import Report, verify
from support.commands import PROJECTS, build, configure, run, succeed

LINKING = PROJECTS / "linking"
KINDS = ("STATIC", "SHARED", "MODULE", "OBJECT")
MODES = ("pie", "fixed")
COMPILERS = ("g++", "clang++", "clang++-19")
LINKERS = ("bfd", "gold", "lld", "mold")


@dataclass(frozen=True, kw_only=True)
class Flags:
    """Options of the whole project: for all compiles, all links, and the links of programs."""

    compile: str = ""
    link: str = ""
    link_program: str = ""


FLAGS = {
    "O0": Flags(compile="-O0"),
    "O2": Flags(compile="-O2"),
    "lto": Flags(compile="-O2 -flto"),
    "asan": Flags(compile="-O1 -g -fsanitize=address"),
    "hidden": Flags(compile="-fvisibility=hidden -fvisibility-inlines-hidden"),
    "symbolic": Flags(link="-Wl,-Bsymbolic"),
    "gc-sections": Flags(
        compile="-O2 -ffunction-sections -fdata-sections", link="-Wl,--gc-sections"
    ),
    "icf": Flags(compile="-O2 -ffunction-sections -fdata-sections", link="-Wl,--icf=all"),
    "no-pic": Flags(compile="-fno-pic", link_program="-no-pie"),
}


@dataclass(frozen=True, kw_only=True)
class Setup:
    """The compiler, linker, and flags of the whole project."""

    compiler: str
    linker: str
    flags: str

    def __str__(self) -> str:
        return f"{self.compiler}-{self.linker}-{self.flags}"

    @property
    def compile_flags(self) -> str:
        return FLAGS[self.flags].compile

    @property
    def link_flags(self) -> str:
        return f"-fuse-ld={self.linker} {FLAGS[self.flags].link}".strip()

    @property
    def program_flags(self) -> str:
        return f"{self.link_flags} {FLAGS[self.flags].link_program}".strip()


# Every compiler and every linker occurs. Another test has all combinations with all flags.
SETUPS = tuple(
    Setup(compiler=compiler, linker=linker, flags=flags)
    for compiler, linker, flags in (
        ("g++", "bfd", "O0"),
        ("g++", "lld", "asan"),
        ("clang++-19", "mold", "symbolic"),
        ("clang++", "gold", "hidden"),
    )
)
# It has each kind, half of them with stubs.
DEFAULT = (SETUPS[0],)
ALL = tuple(
    Setup(compiler=compiler, linker=linker, flags=flags)
    for compiler, linker, flags in itertools.product(COMPILERS, LINKERS, FLAGS)
)


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program of the project, and the kernel library that it launches from."""

    kind: str
    debug_stubs: str
    mode: str

    @property
    def kernels(self) -> str:
        return f"{self.kind}_{self.debug_stubs}"

    @property
    def name(self) -> str:
        return f"{self.kernels}_{self.mode}"

    @property
    def is_apart(self) -> bool:
        """Whether the kernels are in a separate file when the program runs."""
        return self.kind in ("SHARED", "MODULE")

    def files(self, directory: Path) -> tuple[Path, ...]:
        """Return the files that a user would verify together."""
        pattern = {
            "STATIC": f"lib{self.kernels}.a",
            "SHARED": f"lib{self.kernels}.so",
            "MODULE": f"lib{self.kernels}.so",
            "OBJECT": f"CMakeFiles/{self.kernels}.dir/**/*.o",
        }[self.kind]
        (artifact,) = directory.glob(pattern)
        return (directory / self.name, artifact)


PROGRAMS = tuple(
    Program(kind=kind, debug_stubs=debug_stubs, mode=mode)
    for kind, debug_stubs, mode in itertools.product(KINDS, ("OFF", "ON"), MODES)
)

Prepare = Callable[[Setup, tuple[Program, ...]], Path]


@pytest.fixture(scope="module")
def prepare(tmp_path_factory: pytest.TempPathFactory) -> Prepare:
    """Return a function that builds programs with a setup.

    All setups of a compiler use one build directory, so that device code is compiled once.
    """
    directory = tmp_path_factory.mktemp("linking")

    def prepare(setup: Setup, programs: tuple[Program, ...]) -> Path:
        reason = find_obstacle(setup.compiler, setup.compile_flags, setup.program_flags)
        if reason:
            pytest.skip(reason)
        built = directory / setup.compiler
        definitions = (
            f"CMAKE_CXX_COMPILER={setup.compiler}",
            f"CMAKE_CXX_FLAGS={setup.compile_flags}",
            f"CMAKE_EXE_LINKER_FLAGS={setup.program_flags}",
            f"CMAKE_SHARED_LINKER_FLAGS={setup.link_flags}",
            f"CMAKE_MODULE_LINKER_FLAGS={setup.link_flags}",
            f"KERNELS={';'.join(dict.fromkeys(program.kernels for program in programs))}",
        )
        succeed(configure(LINKING, built, *definitions))
        succeed(build(built, *(program.name for program in programs)))
        return built

    return prepare


@cache
def find_obstacle(compiler: str, compile_flags: str, link_flags: str) -> str | None:
    """Return why this machine cannot link any C++ program with these; None if it can."""
    if shutil.which(compiler) is None:
        return f"{compiler} is not installed"
    flags = (*compile_flags.split(), *link_flags.split())
    with tempfile.TemporaryDirectory() as directory:
        source = Path(directory) / "program.cpp"
        # This needs the C++ library, but not its headers.
        source.write_text("int main() { delete new int; }\n")
        result = run(compiler, *flags, source, "-o", source.with_suffix(""))
    if result.returncode != 0:
        return f"{compiler} {' '.join(flags)} cannot link a program here"
    return None


def inspect(*paths: Path) -> tuple[ArtifactFacts, ...]:
    return tuple(facts for path in paths for facts in inspect_path(path))


def judge(*paths: Path) -> Report:
    report = verify(inspect(*paths))
    assert not report.rules_errored
    return report


def check(directory: Path, program: Program) -> None:
    files = program.files(directory)
    # Each kernel has a separate handle, and the linker kept the note that lists them.
    holder = files[-1] if program.is_apart else files[0]
    handles = [handle for facts in inspect(holder) for handle in facts.handles]
    assert len({handle.place for handle in handles}) == 4
    report = judge(*files)
    assert report.ok, report.findings
    assert "all right" in succeed(run(directory / program.name))


def breaks_identity(setup: Setup, program: Program) -> bool:
    """Return whether this is the only combination that cannot work. It has a separate test."""
    return (program.kind, program.mode, setup.flags) == ("SHARED", "fixed", "symbolic")


@pytest.mark.parametrize(
    "setup",
    [pytest.param(s, marks=() if s in DEFAULT else pytest.mark.slow, id=str(s)) for s in SETUPS],
)
def test_every_kind_launches(prepare: Prepare, setup: Setup) -> None:
    # Each setup has one mode, so that host code is compiled once. Together, they have all programs.
    turn = SETUPS.index(setup)
    programs = tuple(
        program
        for program in PROGRAMS
        if program.mode == MODES[turn % 2]
        and (program.debug_stubs == "ON") == bool((KINDS.index(program.kind) + turn // 2) % 2)
    )
    assert not any(breaks_identity(setup, program) for program in programs)

    directory = prepare(setup, programs)

    for program in programs:
        check(directory, program)


@pytest.mark.slow
@pytest.mark.parametrize("setup", ALL, ids=str)
def test_every_combination_launches(prepare: Prepare, setup: Setup) -> None:
    programs = tuple(program for program in PROGRAMS if not breaks_identity(setup, program))

    directory = prepare(setup, programs)

    for program in programs:
        check(directory, program)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("compiler", "linker"), [("g++", "bfd"), pytest.param("clang++", "lld", marks=pytest.mark.slow)]
)
def test_symbolic_library_under_a_fixed_program(
    prepare: Prepare, compiler: str, linker: str
) -> None:
    setup = Setup(compiler=compiler, linker=linker, flags="symbolic")
    programs = tuple(program for program in PROGRAMS if breaks_identity(setup, program))

    directory = prepare(setup, programs)

    for program in programs:
        report = judge(*program.files(directory))
        assert {f.rule for f in report.findings if f.severity == "error"} == {"KB501"}
        # A stub launches with the library's handle, so only identity breaks.
        result = run(directory / program.name)
        if program.debug_stubs == "OFF":
            assert result.returncode != 0
            assert "no kernel is registered" in result.stderr


CALLING = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        "project(calling LANGUAGES CXX)\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
        "kbuild_add_kernels(kernels SHARED SOURCES work.cu ARCHITECTURES x86-64)\n"
        "add_executable(host host.cpp)\n"
        "target_link_libraries(host PRIVATE kernels)\n"
        "kbuild_verify(host kernels)\n"
    ),
    "work.cu": "__global__ void work(int* to) { *to = 1; }\n",
    "host.cpp": "void work(int*);\nint main() { work(nullptr); }\n",
}


def test_called_kernel_fails_the_build(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    for name, text in CALLING.items():
        (source / name).write_text(text)
    succeed(configure(source, tmp_path / "build"))

    result = build(tmp_path / "build")

    assert result.returncode != 0
    assert "KB309" in result.stdout
    assert "calls work" in result.stdout
    assert run(tmp_path / "build" / "host").returncode == -signal.SIGSEGV
