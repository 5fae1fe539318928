"""Kernels that crash or never end on the CPU backend: the reports, and what happens afterward."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import KBUILD, PROJECTS, configure_and_build, run_kbuild

SOURCES = ("kernels.cu", "helper.cuh")
PAST_THE_END = r"bytes past the end of the 4096-byte allocation of device memory at 0x\w+\n"
NULL = r"address 0x0: a null pointer; is it the result of a cudaMalloc that failed\?\n"
UNKNOWN = (
    r"unknown, because one loop runs all threads of the block; build with checks "
    r"\(--check, CHECK ON\) to see the thread\n"
)
# Per case: the signal, a pattern for the block and thread in optimized code, and the cause.
REPORTS = {
    "write_wildly": (signal.SIGSEGV, rf"block \(0, 0, 0\), thread {UNKNOWN}", PAST_THE_END),
    "null": (signal.SIGSEGV, rf"block \(0, 0, 0\), thread {UNKNOWN}", NULL),
    "divide": (signal.SIGFPE, r"block \(0, 0, 0\), thread", "integer division by zero"),
    "write_late": (signal.SIGSEGV, rf"block \(1, 0, 0\), thread {UNKNOWN}", PAST_THE_END),
    "overflow": (signal.SIGSEGV, r"thread \(1, 0, 0\)", r"stack overflow: .* 262144 bytes"),
    "allocate": (signal.SIGSEGV, r"thread \(1, 0, 0\)", r"stack overflow: .* 262144 bytes"),
    "copy": (signal.SIGSEGV, r"block \(0, 0, 0\), thread", NULL),
    "add": (signal.SIGSEGV, rf"thread {UNKNOWN}", "4294963200 " + PAST_THE_END),
    "give_up": (signal.SIGABRT, r"block \(0, 0, 0\), thread", ""),
    "stream": (signal.SIGSEGV, r"block \(0, 0, 0\), thread", NULL),
}
KERNELS = {"null": "follow", "stream": "follow"}
# The line is that of a device function, or of another kernel than the case is named after.
LINES = {
    "write_wildly": "store",
    "null": "follow",
    "stream": "follow",
    "overflow": None,
    "allocate": None,
}


@pytest.fixture(scope="module")
def crashing(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the build directory of the project, which is below its sources."""
    directory = tmp_path_factory.mktemp("crashing") / "project"
    shutil.copytree(PROJECTS / "crashes", directory)
    configure_and_build(directory, directory / "build")
    return directory / "build"


def crash(program: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "KBUILD_CACHE_DIR": str(program.parent / "images"), **variables}
    return subprocess.run(
        [program, *words],
        cwd=program.parent,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def find_line(directory: Path, words: str) -> str:
    """Return the name and number of the line that ends with ``// line of WORDS``."""
    for name in SOURCES:
        lines = (directory / name).read_text().splitlines()
        for number, line in enumerate(lines, start=1):
            if line.endswith(f"// line of {words}"):
                return rf"{name}:{number}\b"
    raise AssertionError(words)


@pytest.mark.parametrize("build_type", ["optimized", "debuggable"])
@pytest.mark.parametrize("case", REPORTS)
def test_a_crash_is_reported(crashing: Path, case: str, build_type: str) -> None:
    number, place, cause = REPORTS[case]

    done = crash(crashing / build_type, case)

    assert done.returncode == -number
    first, second, *_ = done.stderr.splitlines(keepends=True)
    kernel = KERNELS.get(case, case)
    assert re.match(rf"kbuild: kernel {kernel}\(.*\): {number.name} \(", first), done.stderr
    line = LINES.get(case, case)
    # In a region, the instruction of an atomic function belongs to a header. The last line in front
    # of it can be that of the kernel.
    if line and (case, build_type) != ("add", "optimized"):
        assert re.search(rf" (at|near) (\S*/)?{find_line(crashing.parent, line)}", first)
    if build_type == "optimized" or "unknown" not in place:
        assert re.search(place, second), done.stderr
    assert re.search(cause, done.stderr), done.stderr
    assert "has changed" not in done.stderr


def test_threads_that_crash_together_give_one_report(crashing: Path) -> None:
    done = crash(crashing / "optimized", "many_threads")

    assert done.returncode == -signal.SIGSEGV
    assert done.stderr.count("kbuild:") == 1


@pytest.mark.parametrize("words", [("handler",), ("works", "handler"), ("handler", "works")])
def test_the_handler_of_the_host_runs(crashing: Path, words: tuple[str, ...]) -> None:
    done = crash(crashing / "optimized", *words, "null")

    assert done.returncode == 3
    assert "the host handles signal 11 at (nil)\n" in done.stderr
    # A handler that the program installs later replaces that of the runtime.
    assert ("kbuild: kernel follow" in done.stderr) == (words != ("works", "handler"))


@pytest.mark.parametrize("case", ["host", "killed"])
def test_crashes_of_host_code_stay_as_they_are(crashing: Path, case: str) -> None:
    done = crash(crashing / "optimized", "works", case)
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")

    done = crash(crashing / "optimized", "handler", "works", case)
    assert (done.returncode, done.stderr.count("\n")) == (3, 1)


def test_a_forked_child_reports_its_crash(crashing: Path) -> None:
    done = crash(crashing / "optimized", "works", "child", "write_late")

    assert done.returncode == signal.SIGSEGV
    assert re.search(rf" at {find_line(crashing.parent, 'write_late')}", done.stderr)


def test_reports_can_be_switched_off(crashing: Path) -> None:
    done = crash(crashing / "optimized", "null", KBUILD_CPU_SIGNALS="off")
    assert (done.returncode, done.stderr) == (-signal.SIGSEGV, "")


def test_a_report_says_that_the_source_has_changed(crashing: Path, tmp_path: Path) -> None:
    directory = tmp_path / "project"
    (directory / "build").mkdir(parents=True)
    program = Path(shutil.copy(crashing / "optimized", directory / "build"))
    for name in SOURCES:
        shutil.copy(crashing.parent / name, directory)
    source = directory / "kernels.cu"

    assert "has changed" not in crash(program, "null").stderr
    source.write_text("// A comment moves all lines.\n" + source.read_text())

    assert f"the line can be wrong: {source} has changed since" in crash(program, "null").stderr
    assert "has changed" not in crash(program, "write_wildly").stderr  # in the header


def test_a_kernel_without_calls_ends_after_an_explicit_limit(crashing: Path) -> None:
    done = crash(crashing / "optimized", "wait", KBUILD_CPU_TIMEOUT="0.2")

    assert (done.returncode, done.stdout) == (0, "cudaErrorLaunchTimeout\n")
    assert done.stderr.count("kbuild:") == 1
    assert re.match(
        r"kbuild: kernel wait\(int volatile\*\): no thread has made progress for 0\.2 seconds",
        done.stderr,
    )


@pytest.mark.slow
def test_kbuild_run_ends_as_the_program_ends(tmp_path: Path) -> None:
    source = tmp_path / "main.cu"
    source.write_text(
        "#include <csignal>\n#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n"
        "__global__ void k(int* p) { *p = 1; }\n"
        "int main(int count, char** words) {\n"
        "    if (count > 2) {\n"
        "        std::signal(SIGTERM, [](int) { _exit(7); });\n"
        "        std::puts(words[2]);\n"
        "        std::fflush(stdout);\n"
        "        for (;;) pause();\n"
        "    }\n"
        "    if (count > 1) return std::atoi(words[1]);\n"
        "    k<<<1, 1>>>(nullptr);\n"
        "    return cudaDeviceSynchronize();\n"
        "}\n"
    )
    command = ("run", "--backend", "cpu", source)
    assert run_kbuild(*command, "--", "3").returncode == 3

    done = run_kbuild(*command)

    assert done.returncode == -signal.SIGSEGV
    report, end = done.stderr[done.stderr.index("kbuild: kernel") :].split("\n  ", 1)
    assert re.match(rf"kbuild: kernel k\(int\*\): SIGSEGV .* at {source}:5$", report)
    assert "\nkbuild: the program was ended by SIGSEGV (segmentation fault); " in end

    words = [str(word) for word in (KBUILD, *command, "--", "wait", "ready")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as waiting:
        assert waiting.stdout is not None
        assert waiting.stdout.readline() == "ready\n"
        waiting.terminate()
        assert waiting.wait(timeout=60) == 7


def test_python_dies_with_a_report_and_its_own_traceback() -> None:
    program = (
        "import numpy\n"
        "from kbuild import KernelCompiler, KernelExecutor, LaunchConfig\n"
        "source = 'extern \"C\" __global__ void k(int* p) { p[1 << 28] = 1; }'\n"
        "kernel = KernelCompiler('cpu').compile(source)['k']\n"
        "KernelExecutor(kernel).run(LaunchConfig(grid=1, block=1), numpy.zeros(4, numpy.int32))\n"
    )
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", program],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == -signal.SIGSEGV
    assert re.match(r"kbuild: kernel k: SIGSEGV .*:1\n", done.stderr), done.stderr
    assert "Fatal Python error: Segmentation fault" in done.stderr
