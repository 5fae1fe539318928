"""What gdb shows of launches and kernels, without extensions. The tests run it in batch mode."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from support.commands import build, configure, run, succeed
from support.tools.gdb_sessions import (
    DEBUGGER,
    POINTER,
    check_launch,
    check_stub,
    find_frame,
    find_line,
    list_frames,
    needs_gdb,
    run_gdb,
)
from support.tools.toolchains import require_programs

KINDS = ("STATIC", "SHARED")
MODES = ("pie", "fixed")

pytestmark = needs_gdb


@dataclass(frozen=True, kw_only=True)
class Setup:
    """A program, and the compiler and options of its host code."""

    compiler: str
    optimization: str
    kind: str
    mode: str

    def __str__(self) -> str:
        return f"{self.compiler}-{self.optimization}-{self.kind}-{self.mode}"

    @property
    def program(self) -> str:
        return f"{self.kind}_{self.mode}"


ALL = tuple(
    Setup(compiler=compiler, optimization=optimization, kind=kind, mode=mode)
    for compiler, optimization, kind, mode in itertools.product(
        ("g++", "clang++"), ("-O0", "-O2"), KINDS, MODES
    )
)
# Every pair of values of two columns occurs. The first two differ in each of the last three.
PAIRS = tuple(
    Setup(compiler=compiler, optimization=optimization, kind=kind, mode=mode)
    for compiler, optimization, kind, mode in (
        ("g++", "-O0", "SHARED", "pie"),
        ("g++", "-O2", "STATIC", "fixed"),
        ("clang++", "-O0", "STATIC", "pie"),
        ("clang++", "-O2", "SHARED", "fixed"),
        ("g++", "-O2", "SHARED", "pie"),
    )
)
DEFAULT = PAIRS[:2]
SETUPS = tuple(
    pytest.param(setup, id=str(setup), marks=() if setup == DEFAULT[0] else pytest.mark.slow)
    for setup in ALL
)

Prepare = Callable[..., Path]


@pytest.fixture(scope="module")
def prepare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepare]:
    """Return a function that builds the program of a setup.

    Setups with the same compiler and flags share a build directory. The image cache is a temporary
    directory.
    """
    directory = tmp_path_factory.mktemp("debugger")
    configured: dict[Path, tuple[str, ...]] = {}

    def prepare(setup: Setup, *definitions: str, debug_stubs: str = "ON", suffix: str = "") -> Path:
        require_programs(setup.compiler)
        built = directory / f"{setup.compiler}{setup.optimization}{suffix}"
        settings = (
            *("ARCHITECTURES=x86-64", "CMAKE_BUILD_TYPE=Debug"),
            f"CMAKE_CXX_COMPILER={setup.compiler}",
            f"CMAKE_CXX_FLAGS={setup.optimization}",
            f"DEBUG_STUBS={debug_stubs}",
            *definitions,
        )
        if configured.get(built) != settings:
            succeed(configure(DEBUGGER, built, *settings))
            configured[built] = settings
        succeed(build(built, setup.program))
        return built / setup.program

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KBUILD_CACHE_DIR", str(directory / "images"))
        yield prepare


# The stubs in the order of their launches, with patterns of their arguments.
STUBS = (
    ("__device_stub__saxpy", f"n=1000, a=2, x={POINTER}, y={POINTER}", "saxpy"),
    ("ns::__device_stub__scale", f"to={POINTER}, factor=0.5, n=64", "scale"),
    ("ns::__device_stub__add<int>", f"to={POINTER}, value=42", "add"),
    ("__device_stub__reset", f"to={POINTER}, n=7", "reset"),
    (
        "__device_stub__fall",
        rf"body=\{{mass = 1.5, charge = -3\}}, seconds=0.25, height={POINTER}",
        "fall",
    ),
)


@pytest.mark.parametrize("setup", SETUPS)
def test_stubs_show_the_kernels_arguments(prepare: Prepare, setup: Setup) -> None:
    program = prepare(setup)
    breakpoints = [f"break {stub}" for stub, _, _ in STUBS]
    stops = ["info args", "bt", "continue"] * len(STUBS)

    printed = run_gdb(*breakpoints, "run", *stops, files=(program,))[len(STUBS) + 1 :]

    for (stub, arguments, kernel), args, backtrace in zip(
        STUBS, printed[::3], printed[1::3], strict=True
    ):
        # `info args` prints one line per argument of the frame.
        pattern = re.sub(r", (?=\w+=)", "\n", arguments)
        assert re.fullmatch(re.sub(r"(?m)^(\w+)=", r"\1 = ", pattern), args), args
        check_stub(list_frames(backtrace), stub, arguments, kernel)
    assert "exited normally" in printed[-1]


@pytest.mark.parametrize(
    ("setup", "debug_stubs"),
    [
        pytest.param(
            setup, stubs, marks=() if (setup, stubs) == (DEFAULT[0], "ON") else pytest.mark.slow
        )
        for setup in ALL
        for stubs in ("ON", "OFF")
    ],
    ids=str,
)
def test_kernel_name_is_the_kernel(prepare: Prepare, setup: Setup, debug_stubs: str) -> None:
    """gdb takes only the kernel itself for it, not a handle, a stub, or a linker entry for them."""
    program = prepare(setup, debug_stubs=debug_stubs)

    printed = run_gdb(
        *("break saxpy", "start", "break ns::scale", "info breakpoints", "continue"),
        *("info symbol $pc", "info breakpoints", "info args", "list", "print threadIdx.x"),
        # Only this thread, because other threads would also stop at the breakpoint.
        *("print blockIdx", "print gridDim.x", "set scheduler-locking on"),
        files=(program,),
    )

    # At main(), all libraries are loaded, with their handles and stubs.
    assert "(saxpy) pending" in printed[0]
    assert "(ns::scale) pending" in printed[2]
    assert printed[3].count("<PENDING>") == 2
    arguments = f"n=1000, a=2, x={POINTER}, y={POINTER}"
    assert re.search(rf"Breakpoint 1, saxpy \({arguments}\) at .*/kernels\.cu:\d+", printed[4])
    image = r".*/images/[0-9a-f]{64}\.so"
    assert re.fullmatch(rf"saxpy\(.*\) \+ \d+ in section \.text of {image}", printed[5])
    assert len(re.findall(r"0x[0-9a-f]+ in .*/kernels\.cu:\d+", printed[6])) == 2
    assert "MULTIPLE" not in printed[6]
    assert printed[7].startswith("n = 1000\na = 2\n")
    assert "const int i = blockIdx.x * blockDim.x + threadIdx.x;" in printed[8]
    assert re.fullmatch(r"\$1 = \d+", printed[9])
    assert re.fullmatch(r"\$2 = \{x = [0-3], y = 0, z = 0\}", printed[10])
    assert printed[11] == "$3 = 4"


@pytest.mark.parametrize("compiler", ["g++", pytest.param("clang++", marks=pytest.mark.slow)])
def test_kernel_in_the_debugger(prepare: Prepare, compiler: str) -> None:
    """Launch one block, which runs on the launching thread and in its stack.

    A breakpoint at a line stops in each thread, in a function without a name inside of the kernel.
    """
    if compiler == "g++":  # as for all other tests
        program = prepare(DEFAULT[0])
    else:
        program = prepare(DEFAULT[0], f"DEVICE_COMPILER={compiler}", suffix="-device")
    line = find_line("kernels.cu", "to[threadIdx.x] *= factor;")

    printed = run_gdb(
        *("break ns::scale", "run", f"tbreak kernels.cu:{line} if threadIdx.x == 5", "continue"),
        *("print threadIdx", "print blockDim.x", "print factor", "bt", "up", "info args"),
        files=(program,),
    )

    assert printed[4] == "$1 = {x = 5, y = 0, z = 0}"
    assert printed[5] == "$2 = 64"
    assert printed[6] == "$3 = 0.5"
    frames = list_frames(printed[7])
    assert "operator()" in frames[0]
    assert f"kernels.cu:{line}" in frames[0]
    assert frames[1].startswith("ns::scale (to=0x")
    assert re.fullmatch(rf"to = {POINTER}\nfactor = 0.5\nn = 64", printed[9])
    assert frames[find_frame(frames, "ns::__device_stub__scale")].count("factor=0.5")
    check_launch(frames, "scale")
    assert frames[-1].startswith("main (")


@pytest.mark.slow
def test_release_build_has_only_the_name_of_the_kernel(prepare: Prepare) -> None:
    program = prepare(DEFAULT[0], "CMAKE_BUILD_TYPE=Release", suffix="-release")

    printed = run_gdb("break ns::scale", "run", "info symbol $pc", "bt", files=(program,))

    assert "(ns::scale) pending" in printed[0]
    assert re.match(r"ns::scale\(float\*, float, int\).* in section .*/images/.*\.so", printed[2])
    frames = list_frames(printed[3])
    assert frames[0].startswith("ns::scale(float*, float, int) ()")
    assert "factor=0.5, n=64" in frames[find_frame(frames, "ns::__device_stub__scale")]
    check_launch(frames, "scale")


def test_stubs_of_static_kernels_have_their_names(prepare: Prepare) -> None:
    """Other files cannot launch a static kernel by name, but a debugger finds its stub."""
    program = prepare(DEFAULT[0])

    (*_, printed) = run_gdb("start", "info line __device_stub__quiet", files=(program,))

    assert re.match(r'Line \d+ of ".*_stub\.cpp" starts at address', printed), printed


@pytest.mark.slow
@pytest.mark.parametrize(
    "setup", [DEFAULT[0], pytest.param(DEFAULT[1], marks=pytest.mark.slow)], ids=str
)
def test_symbols_are_enough_to_name_the_kernel(prepare: Prepare, setup: Setup) -> None:
    program = prepare(setup, debug_stubs="SYMBOLS")

    printed = run_gdb(*("break __device_stub__saxpy", "run", "info args", "bt"), files=(program,))

    assert "No symbol table info available" in printed[2]
    frames = list_frames(printed[3])
    assert frames[0].startswith("__device_stub__saxpy(int, float, float const*, float*) ()")
    check_launch(frames, "saxpy")


@pytest.mark.parametrize(
    "setup", [pytest.param(DEFAULT[0], marks=pytest.mark.slow), DEFAULT[1]], ids=str
)
def test_program_without_debug_stubs_has_none(prepare: Prepare, setup: Setup) -> None:
    program = prepare(setup, debug_stubs="OFF")

    printed = run_gdb(
        *("start", "info functions __device_stub__", "break __device_stub__saxpy"),
        *("continue", "info breakpoints"),
        files=(program,),
    )

    assert printed[1] == 'All functions matching regular expression "__device_stub__":'
    assert "(__device_stub__saxpy) pending" in printed[2]
    assert "exited normally" in printed[3]
    assert "<PENDING>" in printed[4]


@pytest.mark.slow
def test_switching_debug_stubs_does_not_compile_host_files(prepare: Prepare) -> None:
    """The kernel library adds and removes stubs. The objects of the host are only linked again."""
    setup = DEFAULT[1]
    compiled, linked = set(), set()
    for debug_stubs in ("ON", "OFF", "SYMBOLS", "ON"):
        program = prepare(setup, debug_stubs=debug_stubs)
        assert ("__device_stub__saxpy" in succeed(run("nm", program))) == (debug_stubs != "OFF")
        succeed(run(program))
        (host,) = program.parent.glob(f"CMakeFiles/{setup.program}.dir/main.cpp.o")
        compiled.add(host.stat().st_mtime_ns)
        linked.add(program.stat().st_mtime_ns)

    assert len(compiled) == 1
    assert len(linked) == 4


@pytest.mark.slow
def test_only_the_launching_thread_shows_the_launch(prepare: Prepare) -> None:
    """Other blocks run on threads of the runtime, whose stacks do not contain the launch."""
    program = prepare(DEFAULT[1])

    printed = run_gdb("break saxpy", "run", "thread apply all bt", files=(program,))

    traces = [list_frames(text) for text in re.split(r"^Thread ", printed[2], flags=re.MULTILINE)]
    launching = [frames for frames in traces if any("main (" in frame for frame in frames)]
    assert len(launching) == 1
    find_frame(launching[0], "__device_stub__saxpy")
    check_launch(launching[0], "saxpy")


HEADERLESS = """
cmake_minimum_required(VERSION 3.22...4.0)
project(headerless LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES a.cu ARCHITECTURES x86-64 DEBUG_STUBS ON)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE kernels)
"""
# On x86-64, the members of Body are in two kinds of registers, and Large is on the stack.
TYPES = """
#pragma once
struct Body { double mass; long charge; };
struct Large { float values[9]; };
enum Kind : short { LIGHT, HEAVY = 7 };
"""
FALL = """
#include "a.hpp"
__global__ void fall(int n, Body body, float f, Large large, Kind kind, Body* out) {
    *out = {n + body.mass + f + large.values[8], body.charge + kind};
}
"""
LAUNCH = """
#include "a.hpp"
#include <kbuild/kbuild.hpp>
#include <cstdio>
KBUILD_KERNEL void fall(int n, Body body, float f, Large large, Kind kind, Body* out);
int main() {
    Body* out = nullptr;
    if (kbuild_malloc(reinterpret_cast<void**>(&out), sizeof(Body)) != 0) return 1;
    Large large = {};
    large.values[8] = 0.5f;
    if (auto e = kbuild::launch(fall, {1, 1}, 1, Body{2, 30}, 0.25f, large, HEAVY, out)) {
        std::printf("%s\\n", e.message());
        return 1;
    }
    // The same launch with the addresses of the arguments.
    int n = 2;
    Body body{2, 30};
    float f = 0.25f;
    Kind kind = HEAVY;
    void* arguments[] = {&n, &body, &f, &large, &kind, &out};
    kbuild_launch_config config = {};
    config.grid = config.block = {1, 1, 1};
    if (kbuild_launch(reinterpret_cast<const void*>(fall), &config, arguments) != 0) return 1;
    if (kbuild_memcpy(&body, out, sizeof body, KBUILD_COPY_TO_HOST) != 0) return 1;
    std::printf("%g %ld\\n", body.mass, body.charge);
}
"""


@pytest.mark.slow
def test_struct_without_its_header_is_shown_as_bytes(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    texts = {"CMakeLists.txt": HEADERLESS, "a.hpp": TYPES, "a.cu": FALL, "main.cpp": LAUNCH}
    for name, text in texts.items():
        (source / name).write_text(text)
    succeed(configure(source, tmp_path / "build"))

    result = build(tmp_path / "build")

    succeed(result)
    output = " ".join((result.stdout + result.stderr).split())
    assert "debug stubs show these parameters without their types: 'Body' of 'fall(" in output
    assert "list the headers that define the types in HEADERS" in output
    program = tmp_path / "build" / "main"
    assert run(str(program)).stdout == "4.75 37\n"
    printed = run_gdb(
        "break __device_stub__fall",
        "run",
        "next",
        "next",
        "info locals",
        "bt",
        files=(program,),
    )
    assert "__device_stub__fall" in printed[-1]
