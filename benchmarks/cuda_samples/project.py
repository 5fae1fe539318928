"""Write and build one CMake project with every sample, by kbuild or by CMake's CUDA language."""

from __future__ import annotations

import os
import subprocess
import sysconfig
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cuda_samples.samples import Sample
from kbuild import resources

KBUILD, CMAKE, NVCC = "kbuild", "cmake", "nvcc"
# The only device source of programs that have none: it brings the runtime's headers and library.
_NO_KERNELS = "no_kernels.cu"
# The lines of a failed build that a result keeps.
KEPT_LINES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """How to build the samples.

    Attributes:
        tool: ``kbuild``; ``cmake`` for CMake's CUDA language; or ``nvcc`` for a compiler driver in
            the place of nvcc, with which each sample is built by its own files.
        backend: The backend of kbuild.
        architectures: What to compile for; empty for the backend's default.
        nvcc: The compiler of both tools; None if the backend needs none.
        driver: The compiler driver of ``nvcc``.
        has_rdc: Whether samples that request relocatable device code get it.
        is_checked: Whether kbuild instruments the samples for checks.
    """

    tool: str
    backend: str
    architectures: tuple[str, ...]
    nvcc: Path | None
    driver: Path | None
    has_rdc: bool
    is_checked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleBuild:
    """One sample, configured and built.

    Attributes:
        program: Its program; None if it was not built.
        log: The end of the output.
        seconds: The processor time, in seconds; None if it was built together with others.
    """

    program: Path | None
    log: str
    seconds: float | None = None


def write_project(
    directory: Path, samples: Sequence[Sample], root: Path, how: Configuration
) -> None:
    """Write a CMakeLists.txt with one program per sample."""
    directory.mkdir(parents=True, exist_ok=True)
    (directory / _NO_KERNELS).write_text("")
    render = _render_by_kbuild if how.tool == KBUILD else _render_by_cmake
    blocks = [render(sample, root, how) for sample in samples]
    languages = "CXX" if how.tool == KBUILD else "CXX CUDA"
    architectures = ";".join(how.architectures)
    package = (
        "find_package(kbuild REQUIRED)"
        if how.tool == KBUILD
        else f'set(CMAKE_CUDA_ARCHITECTURES "{architectures}")'
    )
    head = (
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        f"project(cuda_samples LANGUAGES C {languages})\n"
        f"{package}\n"
        "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)\n"
        "set(CMAKE_POSITION_INDEPENDENT_CODE ON)\n"
    )
    if any(sample.has_openmp for sample in samples):
        head += "find_package(OpenMP REQUIRED COMPONENTS CXX)\n"
    (directory / "CMakeLists.txt").write_text("\n".join([head, *blocks]))


def _render_by_kbuild(sample: Sample, root: Path, how: Configuration) -> str:
    devices = _quote(sample, root, sample.device_sources) or _NO_KERNELS
    words = [f"kbuild_target_sources({sample.name} PRIVATE {devices}", f"BACKEND {how.backend}"]
    if how.architectures:
        words.append(f"ARCHITECTURES {' '.join(how.architectures)}")
    if sample.has_rdc and how.has_rdc:
        words.append("RDC ON")
    if how.is_checked:
        words.append("CHECK ON")
    if sample.has_extended_lambda and how.backend == "cuda":
        words.append("DEVICE_OPTIONS --extended-lambda")
    lines = [f"add_executable({sample.name} {_quote(sample, root, sample.host_sources)})"]
    return "\n".join([*lines, *_render_properties(sample, root), "\n    ".join(words) + ")\n"])


def _render_by_cmake(sample: Sample, root: Path, how: Configuration) -> str:
    devices = _quote(sample, root, sample.device_sources) or _NO_KERNELS
    rdc = "ON" if sample.has_rdc and how.has_rdc else "OFF"
    # C++ sources do not see the toolkit's headers otherwise.
    headers = "${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES}"
    lines = [
        f"add_executable({sample.name} {devices} {_quote(sample, root, sample.host_sources)})",
        *_render_properties(sample, root),
        f"target_include_directories({sample.name} SYSTEM PRIVATE {headers})",
        f"set_target_properties({sample.name} PROPERTIES CUDA_SEPARABLE_COMPILATION {rdc})",
    ]
    if sample.has_extended_lambda:
        option = "$<$<COMPILE_LANGUAGE:CUDA>:--extended-lambda>"
        lines.append(f"target_compile_options({sample.name} PRIVATE {option})")
    return "\n".join(lines) + "\n"


def _render_properties(sample: Sample, root: Path) -> list[str]:
    includes = _quote(sample, root, sample.includes)
    lines = [f"target_include_directories({sample.name} PRIVATE {includes})"] if includes else []
    if sample.standard:
        lines.append(f"target_compile_features({sample.name} PRIVATE cxx_std_{sample.standard})")
    if sample.has_openmp:
        lines.append(f"target_link_libraries({sample.name} PRIVATE OpenMP::OpenMP_CXX)")
    return lines


def _quote(sample: Sample, root: Path, paths: Sequence[str]) -> str:
    where = root.resolve() / sample.directory
    return " ".join(f'"{os.path.normpath(where / path)}"' for path in paths)


def build_samples(
    directory: Path, samples: Sequence[Sample], how: Configuration, jobs: int
) -> dict[str, SampleBuild]:
    """Build everything that builds, and return a build per name of a sample."""
    build = directory / "build"
    definitions = []  # without a build type, as the samples do; a release build removes assert()
    if how.backend == "cpu":  # Thrust's algorithms are host code, and nvcc optimizes device code
        definitions += ["-DCMAKE_CXX_FLAGS=-O2"]
    if how.tool == KBUILD:
        command = Path(sysconfig.get_path("scripts")) / "kbuild"
        kbuild = os.environ.get("KBUILD_EXECUTABLE", command)
        definitions += [f"-Dkbuild_DIR={resources.cmake_directory()}"]
        definitions += [f"-DKBUILD_EXECUTABLE={kbuild}"]
    elif how.nvcc:
        definitions += [f"-DCMAKE_CUDA_COMPILER={how.nvcc}"]
    status, log = _run("cmake", "-S", directory, "-B", build, "-G", "Ninja", *definitions)
    if status != 0:
        raise SystemExit(f"cannot configure the samples:\n{log}")
    _run("cmake", "--build", build, "-j", jobs, "--", "-k", "0")
    builds = {}
    for sample in samples:
        program = build / "bin" / sample.name
        if program.exists():
            builds[sample.name] = SampleBuild(program=program, log="")
            continue
        # A build of everything mixes the messages of samples, so that a failed one is built again.
        _, log = _run("cmake", "--build", build, "-j", 1, "--target", sample.name)
        end = "\n".join(log.splitlines()[-KEPT_LINES:])
        builds[sample.name] = SampleBuild(program=None, log=end)
    return builds


def _run(*argv: object) -> tuple[int, str]:
    done = subprocess.run(
        [str(word) for word in argv],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    return done.returncode, done.stdout
