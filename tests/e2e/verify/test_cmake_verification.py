"""Verification edges of CMake projects: smoke test modules, and programs that link kernels."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from support.commands import build, configure, ctest, run, succeed

KERNEL = "__global__ void fill(int* to) { *to = 3; }\n"
CALL = "void fill(int* to);\nint run() { int to = 0; fill(&to); return to - 3; }\n"
LAUNCH = (
    "#include <kbuild/kbuild.h>\n"
    "KBUILD_KERNEL void fill(int* to);\n"
    "const void* run() { return (const void*)&fill; }\n"
)
HEAD = """
cmake_minimum_required(VERSION 3.22...4.0)
project(verified LANGUAGES CXX)
include(CTest)
find_package(kbuild CONFIG REQUIRED)
"""
KINDS = ("STATIC", "OBJECT", "SHARED", "MODULE")
LINKABLE = KINDS[:3]
SMOKE = (
    HEAD
    + f"foreach(kind IN ITEMS {' '.join(KINDS)})\n"
    + """
    kbuild_add_kernels(k_${kind} ${kind} SOURCES fill.cu ARCHITECTURES x86-64 VERIFY OFF)
    kbuild_add_smoke_test(k_${kind})
endforeach()
"""
)
# Kernels reach the programs directly, through libraries, through aliases, and through expressions.
PROGRAMS = (
    HEAD
    + f"foreach(kind IN ITEMS {' '.join(LINKABLE)})\n"
    + """
    kbuild_add_kernels(kernels_${kind} ${kind} SOURCES fill.cu ARCHITECTURES x86-64)
    foreach(host IN ITEMS launch call)
        add_executable(${host}_${kind} main.cpp ${host}.cpp)
        target_link_libraries(${host}_${kind} PRIVATE kernels_${kind})
    endforeach()
endforeach()
add_library(calling_library SHARED call.cpp)
target_link_libraries(calling_library PRIVATE $<LINK_ONLY:kernels_STATIC>)
add_library(calling_archive STATIC call.cpp)
target_link_libraries(calling_archive PRIVATE kernels_SHARED)
add_library(verified::archive ALIAS calling_archive)
add_executable(uses_archive main.cpp)
target_link_libraries(uses_archive PRIVATE $<BUILD_INTERFACE:verified::archive>)
add_executable(unused main.cpp)
target_compile_definitions(unused PRIVATE UNUSED)
target_link_libraries(unused PRIVATE kernels_STATIC)
add_executable(plain EXCLUDE_FROM_ALL main.cpp)
add_executable(left_out EXCLUDE_FROM_ALL main.cpp call.cpp)
target_link_libraries(left_out PRIVATE kernels_SHARED)
add_subdirectory(other)
"""
)
OTHER = """
set(KBUILD_VERIFY_EXECUTABLES OFF)
add_executable(other ../main.cpp ../call.cpp)
target_link_libraries(other PRIVATE kernels_SHARED)
"""
MAIN = "#ifdef UNUSED\nint run() { return 0; }\n#else\nint run();\n#endif\nint main() { run(); }\n"
SOURCES = {
    "fill.cu": KERNEL,
    "call.cpp": CALL,
    "launch.cpp": LAUNCH,
    "main.cpp": MAIN,
    "other/CMakeLists.txt": OTHER,
}


def write_project(directory: Path, project: str) -> Path:
    for name, text in {**SOURCES, "CMakeLists.txt": project}.items():
        (directory / name).parent.mkdir(exist_ok=True)
        (directory / name).write_text(text)
    return directory


@pytest.mark.slow
def test_smoke_test_does_not_load_what_verification_rejects(tmp_path: Path) -> None:
    flags = [f"CMAKE_{kind}_LINKER_FLAGS=-Wl,-z,norelro" for kind in ("MODULE", "SHARED")]
    succeed(configure(write_project(tmp_path, SMOKE), tmp_path / "build", *flags))

    targets = [*(f"k_{kind}" for kind in KINDS), "k_STATIC_smoke", "k_OBJECT_smoke"]
    built = build(tmp_path / "build", *targets)
    assert built.returncode == 0, built.stdout
    tested = ctest(tmp_path / "build")
    assert tested.returncode != 0
    for kind in KINDS:
        assert re.search(rf" k_{kind}\.smoke \.+\*+Not Run", tested.stdout), tested.stdout

    for kind in ("STATIC", "OBJECT"):
        rejected = build(tmp_path / "build", f"k_{kind}_smoke_verified")
        assert rejected.returncode != 0
        assert f"libk_{kind}_smoke.so" in rejected.stdout
        assert "KB303" in rejected.stdout


@pytest.mark.slow
def test_smoke_module_follows_the_policy_of_its_target(tmp_path: Path) -> None:
    project = HEAD + (
        "kbuild_add_kernels(k STATIC SOURCES fill.cu ARCHITECTURES x86-64 POLICY policy.toml)\n"
        "kbuild_add_smoke_test(k)\n"
    )
    write_project(tmp_path, project)
    (tmp_path / "policy.toml").write_text('required_architectures = ["aarch64"]\n')
    succeed(configure(tmp_path, tmp_path / "build"))

    for target in ("k_verified", "k_smoke_verified"):
        assert "KB101" in build(tmp_path / "build", target).stdout
    tested = ctest(tmp_path / "build").stdout
    for test in ("k.verify", "k_smoke.verify"):
        assert re.search(rf" {re.escape(test)} \.+\*+Failed", tested), tested


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = write_project(tmp_path_factory.mktemp("programs"), PROGRAMS)
    succeed(configure(directory, directory / "build", "KBUILD_VERIFY_EXECUTABLES=ON"))
    return directory / "build"


def test_programs_that_call_kernels_are_rejected(programs: Path) -> None:
    result = run("ninja", "-C", programs, "-k0")
    wrong = {*(f"call_{kind}" for kind in LINKABLE), "calling_library", "uses_archive"}
    right = {*(f"launch_{kind}" for kind in LINKABLE), "unused"}

    assert result.returncode != 0
    assert "KB309" in result.stdout
    rejected = set(re.findall(r"FAILED: .* kbuild/(\w+)_verified_with_kernels", result.stdout))
    assert rejected == wrong, result.stdout
    stamps = {path.stem for path in (programs / "kbuild").glob("*.stamp")}
    assert {f"{name}_verified_with_kernels" for name in right} <= stamps
    assert (programs / "call_STATIC").is_file()  # a rejected program stays


def test_programs_outside_of_the_option_are_not_verified(programs: Path) -> None:
    targets = succeed(build(programs, "help"))
    assert "left_out_verified_with_kernels" in targets
    assert "plain_verified" not in targets
    assert "other_verified" not in targets
    assert "left_out_verified_with_kernels" not in run("ninja", "-C", programs, "-n").stdout
    assert "KB309" in build(programs, "left_out_verified_with_kernels").stdout
