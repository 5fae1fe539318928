"""Measure packing, stubs, and loading of targets with many kernels, compared with nvcc."""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.measure import describe_machine
from kbuild import resources
from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.find import find_build_program, find_toolchain, gather_hints

KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))
LOADER = Path(__file__).with_name("load.c")
KERNEL = """\
__global__ void kernel_{n}(int n, float a, const float* x, float* y)
{{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + {n}.0f;
}}
"""
PROJECT = """\
cmake_minimum_required(VERSION 3.22)
project(scale LANGUAGES C CXX)
find_package(kbuild REQUIRED)
kbuild_add_kernels(scaled SHARED SOURCES {sources} BACKEND cuda ARCHITECTURES {arch}
    VISIBILITY {visibility})
"""
COLUMNS = (
    *("kernels", "sources", "archs", "visibility", "pack s", "pack MiB", "stub s", "edge / nvcc"),
    *("load us/kernel", "load / nvcc", "load / hidden", "size / nvcc"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A target to measure."""

    kernels: int
    sources: int
    architectures: tuple[str, ...] = ("90",)
    visibility: str = "default"


CASES = (
    Case(kernels=10, sources=1),
    Case(kernels=100, sources=10),
    Case(kernels=1000, sources=10),
    Case(kernels=1000, sources=100),
    Case(kernels=1000, sources=10, architectures=("80", "86", "90", "100")),
    Case(kernels=10000, sources=10),
    Case(kernels=10000, sources=10, visibility="hidden"),
)
TINY = (Case(kernels=4, sources=2),)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--tiny", action="store_true", help="use a small target, to check that the benchmark runs"
    )
    parser.add_argument("--loads", type=int, default=101)
    arguments = parser.parse_args()
    try:
        nvcc = find_toolchain(cuda, gather_hints()).compiler
    except ToolchainError as error:
        sys.exit(str(error))
    print(describe_machine())
    print("  ".join(f"{column:>16}" for column in COLUMNS))
    for case in TINY if arguments.tiny else CASES:
        with tempfile.TemporaryDirectory(prefix="kbuild-scale-") as directory:
            row = measure(case, Path(directory), nvcc, 3 if arguments.tiny else arguments.loads)
        print("  ".join(f"{cell:>16}" for cell in row), flush=True)


def measure(case: Case, directory: Path, nvcc: Path, loads: int) -> Sequence[str]:
    sources = write_project(case, directory)
    build = directory / "build"
    package = (f"-Dkbuild_DIR={resources.cmake_directory()}", f"-DKBUILD_EXECUTABLE={KBUILD}")
    kind = "-DCMAKE_BUILD_TYPE=Release"
    run(find_build_program("cmake"), "-G", "Ninja", "-S", directory, "-B", build, kind, *package)
    run(find_build_program("ninja"), "-C", build, "scaled")
    pack, memory = time_pack(build)
    stub = time_call(find_command(build, "scaled_stub"), build)
    edge, bare = compare_edges(build, sources[0], nvcc, directory)
    library = build / "libscaled.so"
    hidden = build_by_nvcc(case, sources, nvcc, directory, is_hidden=True)
    peer = hidden
    if case.visibility != "hidden":
        peer = build_by_nvcc(case, sources, nvcc, directory, is_hidden=False)
    run("cc", "-O2", LOADER, "-o", directory / "load", "-ldl")
    times = list(time_loads(directory / "load", (library, peer, hidden), loads))
    return (
        *(str(case.kernels), str(case.sources), str(len(case.architectures)), case.visibility),
        *(f"{pack:.2f}", f"{memory:.0f}", f"{stub:.2f}", f"{edge / bare:.2f}"),
        f"{statistics.median(row[0] for row in times) * 1e3 / case.kernels:.2f}",
        *(describe_ratios([row[0] / row[column] for row in times]) for column in (1, 2)),
        f"{library.stat().st_size / peer.stat().st_size:.2f}",
    )


def write_project(case: Case, directory: Path) -> list[Path]:
    sources = [directory / f"source_{index}.cu" for index in range(case.sources)]
    for index, source in enumerate(sources):
        numbers = range(index, case.kernels, case.sources)
        source.write_text("".join(KERNEL.format(n=number) for number in numbers))
    arch = " ".join(f"{name}-real" for name in case.architectures)
    text = PROJECT.format(
        sources=" ".join(source.name for source in sources), arch=arch, visibility=case.visibility
    )
    (directory / "CMakeLists.txt").write_text(text)
    return sources


def time_pack(build: Path) -> tuple[float, float]:
    """Return the seconds and MiB of the edge that packs and generates the stub unit."""
    plan = build / "kbuild" / "scaled" / "scaled.pack"
    words = [sys.executable, "-c", MEASURED, KBUILD, "pack", str(plan)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    seconds, kibibytes = done.stdout.split()[-2:]
    return float(seconds), float(kibibytes) / 1024


# The peak memory includes all children of a process, so each measurement has its own process.
MEASURED = """\
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL)
print(time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def find_command(build: Path, word: str) -> str:
    """Return the command with which ninja compiles the stub unit."""
    words = [find_build_program("ninja") or "ninja", "-C", build, "-t", "commands"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    return next(line for line in done.stdout.splitlines() if word in line and " -c " in line)


def time_call(command: str, directory: Path) -> float:
    start = time.perf_counter()
    subprocess.run(["/bin/sh", "-c", command], cwd=directory, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def compare_edges(build: Path, source: Path, nvcc: Path, directory: Path) -> tuple[float, float]:
    """Return the medians of three compile edges and three plain nvcc calls, run in turns."""
    edges = sorted((build / "kbuild" / "scaled").glob(f"{source.name}.*.edge"))
    edge = edges[0]
    stamp = edge.with_suffix(".json")
    flags = build / "kbuild" / "scaled" / "flags.CXX.txt"
    arch = edge.name.removeprefix(f"{source.name}.").partition("-")[0]
    ours, bare = [], []
    for _ in range(3):
        stamp.unlink()
        command = shlex.join([KBUILD, "compile", str(edge), "--flags", str(flags)])
        ours.append(time_call(command, build))
        words = (nvcc, "-cubin", f"-arch=compute_{arch}", f"-code=sm_{arch}", "-std=c++17", source)
        bare.append(
            time_call(shlex.join([*map(str, words), "-o", f"{directory}/x.cubin"]), directory)
        )
    return statistics.median(ours), statistics.median(bare)


def build_by_nvcc(
    case: Case, sources: Sequence[Path], nvcc: Path, directory: Path, *, is_hidden: bool
) -> Path:
    """Build a library of the same kernels with nvcc and the same runtime.

    Since CUDA 13, nvcc hides kernels by default, so other files cannot launch them.
    """
    options = [f"-gencode=arch=compute_{a},code=sm_{a}" for a in case.architectures]
    options.append(f"-device-entity-has-hidden-visibility={str(is_hidden).lower()}")
    objects = [source.with_suffix(".o") for source in sources]
    for source, target in zip(sources, objects, strict=True):
        run(nvcc, "-c", "-O3", "-Xcompiler", "-fPIC", *options, source, "-o", target)
    library = directory / f"libpeer-{'hidden' if is_hidden else 'default'}.so"
    runtime = cuda.find_runtimes(gather_hints())[0].library
    run("g++", "-shared", "-o", library, *objects, runtime)
    return library


def time_loads(loader: Path, libraries: Sequence[Path], count: int) -> Iterator[list[float]]:
    """Yield the milliseconds of dlopen for each library, each in a separate process."""
    runtime = cuda.find_runtimes(gather_hints())[0].library
    for _ in range(count):
        yield [
            float(subprocess.run([loader, p, runtime], capture_output=True, check=True).stdout)
            for p in libraries
        ]


def describe_ratios(ratios: Sequence[float]) -> str:
    """Return the median, and the quartiles in parentheses."""
    first, median, third = statistics.quantiles(ratios, n=4)
    return f"{median:.2f} ({first:.2f}-{third:.2f})"


def run(*words: object) -> None:
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, words))} failed:\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    main()
