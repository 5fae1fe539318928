"""Tests for fat binaries with several architectures, and for choosing an image at run time."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kbuild.facts import ArtifactFacts
from kbuild.inspect import inspect_path
from support.commands import configure, configure_and_build, run, run_kbuild, succeed

LEVELS = ("x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4")

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the levels are those of x86-64"
)

SOURCES = {
    "CMakeLists.txt": (
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        "project(levels LANGUAGES CXX)\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
        f"kbuild_add_kernels(every SHARED SOURCES level.cu ARCHITECTURES {' '.join(LEVELS)})\n"
        "kbuild_add_kernels(plain SHARED SOURCES level.cu)\n"
        "kbuild_add_kernels(third SHARED SOURCES level.cu ARCHITECTURES x86-64-v3)\n"
        "add_library(host OBJECT host.cpp)\n"
        "target_link_libraries(host PRIVATE every)\n"
        "target_compile_features(host PRIVATE cxx_std_17)\n"
        "foreach(kernels IN ITEMS every plain third)\n"
        "    add_executable(${kernels}_host $<TARGET_OBJECTS:host>)\n"
        "    set_target_properties(${kernels}_host PROPERTIES LINKER_LANGUAGE CXX)\n"
        "    target_link_libraries(${kernels}_host PRIVATE ${kernels})\n"
        "endforeach()\n"
    ),
    "level.cu": (
        "__global__ void level(int* to) {\n"
        "#if defined(__AVX512F__)\n"
        "    *to = 4;\n"
        "#elif defined(__AVX2__)\n"
        "    *to = 3;\n"
        "#elif defined(__SSE4_2__)\n"
        "    *to = 2;\n"
        "#else\n"
        "    *to = 1;\n"
        "#endif\n"
        "}\n"
    ),
    "host.cpp": (
        "#include <kbuild/kbuild.hpp>\n"
        "#include <cstdio>\n"
        "KBUILD_KERNEL void level(int* to);\n"
        "int main() {\n"
        "    int value = 0;\n"
        "    const auto error = kbuild::launch(level, {1, 1}, &value);\n"
        '    if (error) std::printf("%s\\n", error.message());\n'
        '    else std::printf("%d\\n", value);\n'
        "    return error ? 1 : 0;\n"
        "}\n"
    ),
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The build directory of all three libraries."""
    source = tmp_path_factory.mktemp("levels")
    for name, text in SOURCES.items():
        (source / name).write_text(text)
    configure_and_build(source, source / "build")
    return source / "build"


def find_supported_levels() -> tuple[str, ...]:
    """Return the levels that the C library's loader reports, which reads CPUID itself."""
    output = succeed(run("/lib64/ld-linux-x86-64.so.2", "--help"))
    return ("x86-64", *reversed(re.findall(r"(x86-64-v\d) \(supported", output)))


def launch(program: Path, level: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "KBUILD_CPU_ARCH"}
    if level:
        environment["KBUILD_CPU_ARCH"] = level
    return subprocess.run([program], env=environment, capture_output=True, text=True, check=False)


def architectures(*files: ArtifactFacts) -> list[str]:
    return [image.arch for facts in files for image in facts.images]


def test_artifact_contains_the_images_of_its_architectures(project: Path) -> None:
    assert architectures(*inspect_path(project / "libevery.so")) == list(LEVELS)
    assert architectures(*inspect_path(project / "libplain.so")) == ["x86-64", "x86-64-v3"]
    assert architectures(*inspect_path(project / "libthird.so")) == ["x86-64-v3"]


def test_best_image_runs(project: Path) -> None:
    best = LEVELS.index(find_supported_levels()[-1]) + 1

    assert succeed(launch(project / "every_host")).strip() == str(best)


@pytest.mark.parametrize("level", LEVELS)
def test_requested_image_runs(project: Path, level: str) -> None:
    if level not in find_supported_levels():
        pytest.skip(f"this machine does not run {level}")

    assert succeed(launch(project / "every_host", level)).strip() == str(LEVELS.index(level) + 1)


def test_next_lower_image_runs_when_the_requested_one_is_missing(project: Path) -> None:
    if "x86-64-v2" not in find_supported_levels():
        pytest.skip("this machine does not run x86-64-v2")

    assert succeed(launch(project / "plain_host", "x86-64-v2")).strip() == "1"


def test_launch_fails_when_the_machine_supports_no_image(project: Path) -> None:
    result = launch(project / "third_host", "x86-64")

    assert result.returncode == 1
    assert result.stdout.strip() == (
        "kernel _Z5levelPi was built for x86-64-v3, but this machine is x86-64"
    )


def test_smoke_test_fails_when_the_machine_supports_no_image(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KBUILD_CPU_ARCH", "x86-64")

    result = run_kbuild("smoke", project / "libthird.so")

    assert result.returncode == 1
    text = " ".join(result.stdout.split())
    assert "kernel _Z5levelPi was built for x86-64-v3, but this machine is x86-64" in text


# Images for another machine.

# The cross compiler for c++ is that of g++. Clang is a cross compiler itself.
CROSS_COMPILERS = (
    "c++",
    *(pytest.param(clang, marks=pytest.mark.slow) for clang in ("clang++", "clang++-19")),
)
AARCH64 = "aarch64-linux-gnu-g++"
# This source needs all steps that the other machine's tools perform: they make a static kernel
# global, make dynamic shared memory an alias, and read parameters from DWARF.
PORTABLE = """\
#include <cmath>
struct Pair { float first; double second; };
static __global__ void local(int* to) { *to = 1; }
__global__ void sum(Pair pair, const float* from, float* to) {
    extern __shared__ float part[];
    part[threadIdx.x] = from[threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0)
        *to = pair.first + float(std::sqrt(pair.second)) + part[0] + part[blockDim.x - 1];
}
"""
MIXED = (
    "cmake_minimum_required(VERSION 3.22...4.0)\n"
    "project(mixed LANGUAGES CXX)\n"
    "find_package(kbuild CONFIG REQUIRED)\n"
    "kbuild_add_kernels(kernels SHARED SOURCES portable.cu ARCHITECTURES x86-64 aarch64\n"
    "    HOST_COMPILER ${DEVICE_COMPILER})\n"
)


def require(program: str) -> str:
    found = shutil.which(program)
    if found is None:
        pytest.skip(f"{program} is not installed")
    return found


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A project with kernels for two machines."""
    source = tmp_path / "source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(MIXED)
    (source / "portable.cu").write_text(PORTABLE)
    return source


@pytest.mark.slow
@pytest.mark.parametrize("compiler", CROSS_COMPILERS)
def test_images_for_two_machines_are_built(tmp_path: Path, mixed: Path, compiler: str) -> None:
    require(AARCH64)
    found = require(compiler)

    configure_and_build(
        *(mixed, tmp_path / "build"),
        f"DEVICE_COMPILER={found}",
        "CMAKE_EXPORT_COMPILE_COMMANDS=ON",
    )

    library = tmp_path / "build" / "libkernels.so"
    (facts,) = inspect_path(library)
    assert architectures(facts) == ["x86-64", "aarch64"]
    ours, theirs = (image.kernels for image in facts.images)
    assert ours == theirs
    assert succeed(run_kbuild("smoke", library))
    image = next((tmp_path / "build").rglob("*.aarch64.so"))
    assert "AArch64" in succeed(run("readelf", "--file-header", image))
    # Editors run the project's compiler, which might support only its own machine.
    commands = json.loads((tmp_path / "build" / "compile_commands.json").read_text())
    (entry,) = (entry for entry in commands if entry["file"].endswith("portable.cu"))
    assert ("-march=x86-64 " in entry["command"]) == (compiler == "c++")


@pytest.mark.parametrize(
    ("name", "version", "expected"),
    [
        ("clang++", "clang version 19.1.7", "clang++ cannot compile and link"),
        ("g++-99", "g++-99 (GCC) 99.1.0", "aarch64-linux-gnu-g++-99 cannot compile and link"),
    ],
    ids=["clang", "gcc"],
)
def test_error_names_the_missing_cross_compiler(
    tmp_path: Path, mixed: Path, name: str, version: str, expected: str
) -> None:
    for program in (name, f"aarch64-linux-gnu-{name}"):
        script = f'#!/bin/sh\necho "{version}"\ncase "$*" in *-march=armv8-a*) exit 1 ;; esac\n'
        (tmp_path / program).write_text(script)
        (tmp_path / program).chmod(0o755)

    result = configure(mixed, tmp_path / "build", f"DEVICE_COMPILER={tmp_path / name}")

    assert result.returncode != 0
    text = " ".join(result.stderr.split())
    assert "architecture aarch64: " in text
    assert expected in text.replace(f"{tmp_path}/", "")
    assert "install g++ for aarch64 (Debian: g++-aarch64-linux-gnu)" in text
