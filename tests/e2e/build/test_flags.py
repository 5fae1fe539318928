"""Tests for the flags of device code, for configurations, and for compile_commands.json."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from support.commands import build, configure, find_kbuild, run, succeed

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(flags LANGUAGES CXX)
set(HOST_FLAGS -DHOST_FLAG=1 CACHE STRING "what device code must not see")
set(CMAKE_CXX_FLAGS "${CMAKE_CXX_FLAGS} ${HOST_FLAGS}")
find_package(kbuild CONFIG REQUIRED)

add_library(settings INTERFACE)
target_include_directories(settings INTERFACE linked)
target_compile_definitions(settings INTERFACE LINKED_DEFINITION=1
    $<$<COMPILE_LANGUAGE:CXX>:LINKED_FOR_CXX=1>)

kbuild_add_kernels(flags_kernels SHARED SOURCES flags.cu ARCHITECTURES x86-64
    INCLUDE_DIRECTORIES own
    DEFINITIONS "TEXT=\\"two words\\"" NUMBER=7
    COMPILE_OPTIONS -funroll-loops -Wno-unknown-pragmas
    DEVICE_STANDARD 20)
target_link_libraries(flags_kernels PRIVATE settings)
target_include_directories(flags_kernels PRIVATE target)
target_compile_definitions(flags_kernels PRIVATE TARGET_DEFINITION=1)
target_compile_options(flags_kernels PRIVATE -DHOST_OPTION=1)

include(CTest)
kbuild_add_smoke_test(flags_kernels CASES flags_cases.py)
"""
KERNEL = """
#include "linked.hpp"
#include "own.hpp"
#include "target.hpp"

#if defined(HOST_FLAG) || defined(HOST_OPTION)
#error "a host flag reached device code"
#endif
#if NUMBER != 7 || TARGET_DEFINITION != 1 || LINKED_DEFINITION != 1 || LINKED_FOR_CXX != 1
#error "a definition is missing"
#endif
#ifndef DEVICE_FLAG
#error "KBUILD_DEVICE_FLAGS did not reach device code"
#endif
static_assert(__cplusplus >= 202002L, "DEVICE_STANDARD");
static_assert(sizeof(TEXT) == sizeof("two words"), "quoting");

__global__ void which(int* p)
{
#ifdef NDEBUG
    p[0] = 1;
#endif
#ifdef __OPTIMIZE__
    p[1] = 1;
#endif
}
"""
CASES = """
import os
import numpy as np

def test_configuration(kernels):
    seen = np.zeros(2, np.int32)
    kernels["which"].launch(grid=1, block=1, args=(seen,))
    assert list(seen) == [int(word) for word in os.environ["EXPECTED"].split(",")]
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("flags") / "source"
    for name in ("linked", "own", "target"):
        (directory / name).mkdir(parents=True)
        (directory / name / f"{name}.hpp").touch()
    (directory / "CMakeLists.txt").write_text(PROJECT)
    (directory / "flags.cu").write_text(KERNEL)
    (directory / "flags_cases.py").write_text(CASES)
    return directory


def smoke(library: Path, source: Path, expected: str) -> None:
    words = ("smoke", library, source / "flags_cases.py")
    succeed(run("env", f"EXPECTED={expected}", find_kbuild(), *words))


DEVICE_FLAG = "KBUILD_DEVICE_FLAGS=-DDEVICE_FLAG=1 -fno-math-errno"


@pytest.fixture(scope="module")
def build_as(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that builds the project once per build type."""

    @cache
    def build_as(build_type: str) -> Path:
        directory = tmp_path_factory.mktemp("build")
        succeed(configure(source, directory, f"CMAKE_BUILD_TYPE={build_type}", DEVICE_FLAG))
        succeed(build(directory))
        return directory

    return build_as


@pytest.mark.parametrize(
    ("build_type", "expected"),
    [
        ("Release", "1,1"),
        pytest.param("", "0,1", marks=pytest.mark.slow),
        # Also a configuration in the test of Ninja Multi-Config.
        pytest.param("Debug", "0,0", marks=pytest.mark.slow),
        pytest.param("RelWithDebInfo", "1,1", marks=pytest.mark.slow),
    ],
)
def test_flags_reach_device_code(
    build_as: Callable[[str], Path], source: Path, build_type: str, expected: str
) -> None:
    directory = build_as(build_type)

    smoke(directory / "libflags_kernels.so", source, expected)


@pytest.mark.parametrize(
    ("build_type", "is_there"),
    [
        ("Debug", True),
        pytest.param("RelWithDebInfo", True, marks=pytest.mark.slow),
        ("Release", False),
    ],
)
def test_debug_information_follows_the_build_type(
    build_as: Callable[[str], Path], build_type: str, is_there: bool
) -> None:
    directory = build_as(build_type)

    image = directory / "kbuild" / "flags_kernels" / "flags.cu.x86-64.so"
    assert (".debug_info" in succeed(run("readelf", "-SW", image))) == is_there


@pytest.mark.slow
def test_each_configuration_has_its_own_outputs(tmp_path: Path, source: Path) -> None:
    directory = tmp_path / "build"
    succeed(configure(source, directory, DEVICE_FLAG, generator="Ninja Multi-Config"))

    for configuration, expected in (("Debug", "0,0"), ("Release", "1,1")):
        assert not list((directory / "kbuild").rglob(f"{configuration}/*.packed"))
        succeed(run("cmake", "--build", directory, "--config", configuration))
        smoke(directory / configuration / "libflags_kernels.so", source, expected)
    again = succeed(run("cmake", "--build", directory, "--config", "Debug"))

    assert "no work to do" in again
    smoke(directory / "Debug" / "libflags_kernels.so", source, "0,0")


def test_compile_commands_contain_device_sources(tmp_path: Path, source: Path) -> None:
    directory = tmp_path / "build"
    succeed(
        configure(source, directory, "CMAKE_EXPORT_COMPILE_COMMANDS=ON", "HOST_FLAGS=", DEVICE_FLAG)
    )
    succeed(build(directory))

    entries = json.loads((directory / "compile_commands.json").read_text())
    (entry,) = [entry for entry in entries if entry["file"].endswith("flags.cu")]

    # The command compiles. clangd also uses it.
    command = entry["command"].split(" -o ")[0] + f" -fsyntax-only {source / 'flags.cu'}"
    succeed(run("sh", "-c", command, cwd=Path(entry["directory"])))
    assert not list(directory.rglob("*flags.cu.o"))
