"""Try kbuild with versions of tools, and write the table docs/reference/versions.md.

    python scripts/try_versions.py

A C++ compiler builds and runs a program, nvcc compiles a kernel, and a version of CMake builds and
tests examples/saxpy. A version of Python gets a new environment, in which a program runs. Versions
that this machine does not have, and that PyPI does not have, are "not tried".
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "reference" / "versions.md"
EXAMPLE = ROOT / "examples" / "saxpy"
COMPILERS = ("g++-11", "g++-12", "g++-13", "clang++-14", "clang++-15", "clang++-16", "clang++-19")
CMAKES = ("3.22.6", "newest")
PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PROGRAM = """#include <cstdio>
__global__ void fill(float *v, float step) {
    __shared__ float last;
    if (threadIdx.x == 3) last = step;
    __syncthreads();
    v[threadIdx.x] = last * threadIdx.x;
}
int main() {
    float *v;
    cudaMallocManaged(&v, 4 * sizeof *v);
    fill<<<1, 4>>>(v, 0.5f);
    cudaDeviceSynchronize();
    std::printf("%g %g %g %g\\n", v[0], v[1], v[2], v[3]);
}
"""
OUTPUT = "0 0.5 1 1.5\n"
COMPILER = "import kbuild; compiler = kbuild.KernelCompiler('cuda', '80')"
NVCC_VERSION = f"{COMPILER}; print(compiler.toolchain.version)"
NVCC_COMPILE = f"{COMPILER}; compiler.compile('__global__ void k(float *p) {{ *p = sinf(*p); }}')"
BEGIN = "<!-- The table is written by scripts/try_versions.py. -->\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """A version of a tool, and what it did."""

    tool: str
    version: str
    result: str


def run(*argv: str | Path, directory: Path, **variables: str) -> str:
    """Return the output of a command, or raise CalledProcessError."""
    environment = {**os.environ, **variables}
    return subprocess.run(
        argv, cwd=directory, env=environment, check=True, capture_output=True, text=True
    ).stdout


def judge(work: Callable[[], object], success: str) -> str:
    """Return what a table says of some work."""
    try:
        work()
    except subprocess.CalledProcessError as error:
        lines = f"{error.stdout}{error.stderr}".strip().splitlines()
        print("\n".join(lines[-20:]), file=sys.stderr)
        return f"fails: {lines[-1] if lines else error.returncode}"
    return success


def find_kbuild() -> str:
    return str(Path(sys.executable).with_name("kbuild"))


def run_program(directory: Path, kbuild: str, *options: str, **variables: str) -> None:
    """Build and run a program with a barrier, and compare its output."""
    (directory / "fill.cu").write_text(PROGRAM)
    argv = (kbuild, "run", *options, "fill.cu")
    output = run(*argv, directory=directory, **variables)
    if output != OUTPUT:
        raise subprocess.CalledProcessError(1, argv, output, "unexpected output")


def make_environment(directory: Path, python: str, *packages: str, **variables: str) -> Path:
    """Return the programs of a new environment with packages."""
    run(python, "-m", "venv", "environment", directory=directory)
    programs = directory / "environment" / "bin"
    run(programs / "pip", "install", "-q", *packages, directory=directory, **variables)
    return programs


def try_compilers(directory: Path) -> Iterator[Trial]:
    """Run a program whose host and device code each compiler compiles."""
    for name in COMPILERS:
        if shutil.which(name) is None:
            yield Trial(tool="C++ compiler", version=name, result="not tried")
            continue
        words = ("--backend", "cpu", "--arch", "native")
        work = partial(run_program, directory, find_kbuild(), *words, CXX=name)
        yield Trial(tool="C++ compiler", version=name, result=judge(work, "runs"))


def try_cmakes(directory: Path) -> Iterator[Trial]:
    """Build examples/saxpy, and run its tests."""
    for number, version in enumerate(CMAKES):
        place = directory / f"cmake{number}"
        place.mkdir()
        package = "cmake" if version == "newest" else f"cmake=={version}"
        programs = make_environment(place, sys.executable, package)
        cmake, ctest = programs / "cmake", programs / "ctest"
        named = run(cmake, "--version", directory=place).split()[2]

        def build(cmake: Path = cmake, ctest: Path = ctest, place: Path = place) -> None:
            kbuild = run(find_kbuild(), "--cmake-dir", directory=place).strip()
            run(cmake, "-S", EXAMPLE, "-B", "b", f"-Dkbuild_DIR={kbuild}", directory=place)
            run(cmake, "--build", "b", directory=place)
            run(ctest, "--test-dir", "b", "--output-on-failure", directory=place)

        yield Trial(tool="CMake", version=named, result=judge(build, "builds, and tests pass"))


def try_pythons(directory: Path) -> Iterator[Trial]:
    """Install kbuild without compiled parts, and run a program."""
    for version in PYTHONS:
        python = shutil.which(f"python{version}")
        is_usable = python and not subprocess.run([python, "-c", ""], check=False).returncode
        if python is None or not is_usable:
            yield Trial(tool="Python", version=version, result="not tried")
            continue

        def install(python: str = python, version: str = version) -> None:
            place = directory / f"python{version}"
            place.mkdir()
            wheel = {"SKBUILD_WHEEL_CMAKE": "false"}
            programs = make_environment(place, python, f"{ROOT}[demo]", **wheel)
            run_program(place, str(programs / "kbuild"), "--backend", "cpu")

        yield Trial(tool="Python", version=version, result=judge(install, "runs"))


def try_nvcc(directory: Path) -> Iterator[Trial]:
    """Compile a kernel with the toolchain that kbuild finds, and with nvcc on PATH."""
    on_path = shutil.which("nvcc")
    seen = set()
    for variables in ({}, {"CUDACXX": on_path} if on_path else {}):
        try:
            version = run(sys.executable, "-c", NVCC_VERSION, directory=directory, **variables)
        except subprocess.CalledProcessError:
            continue
        if version not in seen:
            seen.add(version)
            words = (sys.executable, "-c", NVCC_COMPILE)
            work = partial(run, *words, directory=directory, **variables)
            yield Trial(tool="nvcc", version=version.strip(), result=judge(work, "compiles"))
    yield Trial(tool="nvcc", version="others of CUDA 13", result="not tried")


def main() -> int:
    text = PAGE.read_text()
    with tempfile.TemporaryDirectory(prefix="kbuild-versions-") as name:
        trials = []
        for attempt in (try_compilers, try_cmakes, try_pythons, try_nvcc):
            for trial in attempt(Path(name)):
                print(f"{trial.tool} {trial.version}: {trial.result}", flush=True)
                trials.append(trial)
    rows = "".join(f"| {each.tool} | {each.version} | {each.result} |\n" for each in trials)
    table = f"| Tool | Version | Result |\n|---|---|---|\n{rows}"
    PAGE.write_text(f"{text.partition(BEGIN)[0]}{BEGIN}\n{table}")
    return int(any(each.result.startswith("fails") for each in trials))


if __name__ == "__main__":
    sys.exit(main())
