"""Core files and backtraces of a program whose kernel crashes name the kernel and the launch."""

from __future__ import annotations

import re
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.commands import build, configure, run, succeed
from support.tools.gdb_sessions import (
    DEBUGGER,
    check_launch,
    find_frame,
    list_frames,
    needs_gdb,
    run_gdb,
)

pytestmark = needs_gdb


@pytest.fixture(scope="module")
def dying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a directory with programs whose kernels end the process."""
    directory = tmp_path_factory.mktemp("dying")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KBUILD_CACHE_DIR", str(directory / "images"))
        definitions = ("WITH_FAILURE=ON", "MODES=pie", "ARCHITECTURES=x86-64")
        succeed(configure(DEBUGGER, directory, *definitions, "CMAKE_BUILD_TYPE=Debug"))
        succeed(build(directory, "STATIC_pie_failing", "SHARED_pie_failing"))
        yield directory


def dump_core(program: Path, directory: Path) -> Path | None:
    """Run the program and return the core file; None if Linux writes none here."""
    _, hard = resource.getrlimit(resource.RLIMIT_CORE)
    done = subprocess.run(
        [program],
        cwd=directory,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (hard, hard)),
    )
    assert done.returncode == -signal.SIGILL
    return next(directory.glob("core*"), None)


@pytest.mark.parametrize(
    ("kind", "writer"),
    [
        ("STATIC", "linux"),
        ("SHARED", "gdb"),
        pytest.param("STATIC", "gdb", marks=pytest.mark.slow),
        pytest.param("SHARED", "linux", marks=pytest.mark.slow),
    ],
)
def test_core_file_names_kernel_and_launch(
    dying: Path, tmp_path: Path, kind: str, writer: str
) -> None:
    program = dying / f"{kind}_pie_failing"
    if writer == "linux":
        core = dump_core(program, tmp_path)
        if core is None:
            pytest.skip("no core file in the working directory: see core_pattern and ulimit -c")
    else:
        core = tmp_path / "core"
        run_gdb("run", f"generate-core-file {core}", "kill", files=(program,))

    (backtrace,) = run_gdb("bt", files=(program, core))

    frames = list_frames(backtrace)
    kernel = find_frame(frames, "fail")
    stub = find_frame(frames, "__device_stub__fail")
    assert re.match(r"fail \(code=7\) at .*/fail\.cu:\d+", frames[kernel])
    assert re.match(r"__device_stub__fail \(code=7\) at .*_stub\.cpp:\d+", frames[stub])
    assert kernel < stub
    check_launch(frames, "fail", "dying.cpp")


def test_backtrace_of_a_late_fiber_contains_the_launch(dying: Path) -> None:
    program = dying / "STATIC_pie_failing"

    printed = run_gdb(
        "run late", "bt", "frame function fail_late", "print threadIdx", files=(program,)
    )

    assert printed[3] == "$1 = {x = 3, y = 0, z = 0}"
    frames = list_frames(printed[1])
    assert find_frame(frames, "fail_late") < find_frame(frames, "__device_stub__fail_late")
    check_launch(frames, "fail_late", "dying.cpp")


@pytest.mark.parametrize("word", ["early", "late"])
def test_stripped_program_names_the_stub(dying: Path, tmp_path: Path, word: str) -> None:
    """backtrace(3) knows only dynamic symbols, which have default visibility."""
    program, library = tmp_path / "program", tmp_path / "libSHARED_failing.so"
    succeed(run("strip", "-o", program, dying / "SHARED_pie_failing"))
    succeed(run("strip", "-o", library, dying / library.name))
    assert "no symbols" in run("nm", program).stderr

    own = (f"LD_LIBRARY_PATH={tmp_path}", "KBUILD_CPU_SIGNALS=off")
    done = run("env", *own, program, "handler", word)

    assert done.returncode == -signal.SIGILL
    kernel = "fail_late" if word == "late" else "fail"
    assert re.search(rf"_Z\d+__device_stub__{kernel}i\+0x", done.stderr), done.stderr
