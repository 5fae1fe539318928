"""Tests of mixed sources in CMake projects: generators, compilers, backends, and kinds."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from kbuild.backends.cpu.cccl import find_cccl
from kbuild.toolchain.find import gather_hints
from support.commands import (
    PROJECTS,
    build,
    configure,
    configure_and_build,
    ctest,
    run,
    run_kbuild,
    succeed,
)
from support.tools.gdb_sessions import needs_gdb, run_gdb
from support.tools.toolchains import NEWER_CLANG, needs_backend, require_programs

MIXED = PROJECTS / "mixed"
KINDS = PROJECTS / "mixed_kinds"
CLANG = (f"CMAKE_CXX_COMPILER={NEWER_CLANG}", "DEVICE_LAMBDAS=OFF")
CUDA = ("BACKEND=cuda", "ARCHITECTURES=80-real")
LAUNCH = "__global__ void k(int*);\nvoid launch() { k<<<1, 1>>>(nullptr); }\n"
LINKERS_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(linkers LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(launching STATIC)
kbuild_target_sources(launching PRIVATE launch.cu ARCHITECTURES x86-64)
add_library(defining STATIC)
kbuild_target_sources(defining PRIVATE define.cu ARCHITECTURES x86-64)
foreach(linker IN ITEMS bfd gold lld)
    add_library(${linker}_options INTERFACE)
    target_link_options(${linker}_options INTERFACE -fuse-ld=${linker})
    add_executable(${linker} main.cpp)
    target_link_libraries(${linker} PRIVATE launching defining ${linker}_options)
    add_executable(${linker}_undefined main.cpp)
    target_link_libraries(${linker}_undefined PRIVATE launching ${linker}_options)
endforeach()
"""
SMOKE_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(smoke LANGUAGES CXX)
enable_testing()
find_package(kbuild CONFIG REQUIRED)
add_library(archive STATIC)
kbuild_target_sources(archive PRIVATE define.cu ARCHITECTURES x86-64 DEBUG_STUBS ON)
if(FIXED)
    set_target_properties(archive PROPERTIES POSITION_INDEPENDENT_CODE OFF)
endif()
kbuild_add_smoke_test(archive)
"""
CCCL_PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(cccl LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_library(reductions STATIC)
kbuild_target_sources(reductions PRIVATE first.cu second.cu BACKEND ${BACKEND}
    ARCHITECTURES ${ARCHITECTURES})
add_executable(program main.cpp)
target_link_libraries(program PRIVATE reductions)
"""
CCCL_SOURCE = """
#include <cub/cub.cuh>
#include <thrust/execution_policy.h>

static __global__ void sum_indices(int* out) {
    using Reduce = cub::BlockReduce<int, 32>;
    __shared__ typename Reduce::TempStorage storage;
    const int sum = Reduce(storage).Sum(static_cast<int>(threadIdx.x));
    if (threadIdx.x == 0) out[0] = sum;
}

int run_NAME() {
    int* out = nullptr;
    int sum = 0;
    cudaMalloc(&out, sizeof *out);
    sum_indices<<<1, 32>>>(out);
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
    return sum;
}
"""
CCCL_MAIN = (
    "int run_first(), run_second();\nint main() { return run_first() + run_second() != 992; }\n"
)
SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=all -g"


def check_program(program: Path) -> None:
    """Run a program whose checks must all pass, and verify it."""
    assert succeed(run(program)) == "PASSED\n"
    succeed(run_kbuild("verify", program))


def build_project(source: Path, directory: Path, *definitions: str, generator: str) -> None:
    succeed(configure(source, directory, *definitions, generator=generator))
    succeed(build(directory))


def list_symbols(path: Path, *options: str) -> str:
    return succeed(run("nm", "-C", *options, path))


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("mixed")
    configure_and_build(MIXED, directory, "CMAKE_BUILD_TYPE=Debug", "DEBUG_STUBS=ON")
    return directory


@pytest.fixture(scope="module")
def kinds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("kinds")
    configure_and_build(KINDS, directory)
    return directory


def test_launches_of_all_forms_work(mixed: Path) -> None:
    assert "PASSED\n" in succeed(run(mixed / "mixed"))
    succeed(run_kbuild("verify", mixed / "mixed"))


def test_libraries_of_all_kinds_work(kinds: Path) -> None:
    check_program(kinds / "kinds")


def test_external_kernels_are_objects_and_others_are_local(mixed: Path) -> None:
    symbols = succeed(run("readelf", "-sW", next(mixed.rglob("launches.cu.host.cpp.o"))))
    kinds = {
        line.split()[7]: tuple(line.split()[3:6])
        for line in symbols.splitlines()
        if len(line.split()) == 8 and not line.endswith("UND")
    }

    assert kinds["c_kernel"] == ("OBJECT", "GLOBAL", "HIDDEN")
    assert kinds["_Z5laterPii"] == ("OBJECT", "GLOBAL", "HIDDEN")
    assert kinds["_Z4fillIiEvPT_iS0_"] == ("OBJECT", "LOCAL", "DEFAULT")
    assert kinds["_ZN12_GLOBAL__N_16hiddenEPi"] == ("OBJECT", "LOCAL", "DEFAULT")
    assert kinds["_Z12write_originPi"] == ("OBJECT", "LOCAL", "DEFAULT")


def test_libraries_export_only_external_kernels(kinds: Path) -> None:
    exported = list_symbols(kinds / "libone.so", "-D", "--defined-only")

    assert " D one::external(int*)" in exported
    assert "fill<int>" not in exported
    assert "count(int*)" not in exported
    assert "inside" not in list_symbols(kinds / "libplugin.so", "-D", "--defined-only")


def test_exported_variables_are_not_findings(kinds: Path) -> None:
    library = kinds / "libone.so"

    assert " V one::ten" in list_symbols(library, "-D", "--defined-only")
    assert succeed(run_kbuild("verify", library)).startswith("ok: no findings;")


def test_linker_explanations_read_only_lists_of_launches(mixed: Path) -> None:
    script = (mixed / "kbuild" / "links" / "mixed").read_text()

    read = [Path(word) for word in re.findall(r"'(/[^']*)'", script)]

    assert sorted(read) == sorted(mixed.rglob("*.launches"))
    assert "later " in "".join(map(Path.read_text, read))
    assert sum(path.stat().st_size for path in read) < 10000  # host texts have megabytes


def test_plain_program_calls_the_host_api_and_launches(kinds: Path) -> None:
    check_program(kinds / "consumer")


def test_debug_stubs_are_optional(mixed: Path, kinds: Path) -> None:
    assert "__device_stub__later(int*, int)" in list_symbols(mixed / "mixed")
    assert "__device_stub__" not in list_symbols(kinds / "kinds")


@needs_gdb
def test_launch_goes_through_the_debug_stub(mixed: Path) -> None:
    (*_, trace) = run_gdb(
        "break __device_stub__later", "run", "backtrace", files=(mixed / "mixed",)
    )

    assert re.search(r"#0 .*__device_stub__later \(out=0x[0-9a-f]+, value=3\)", trace)
    assert re.search(r"run_forms .* at .*/launches\.cu:\d+", trace)


@needs_gdb
def test_stubs_of_instances_have_the_names_of_templates(mixed: Path) -> None:
    symbols = succeed(run("nm", mixed / "mixed")).splitlines()
    names = [line.split(maxsplit=2)[2] for line in symbols if re.search(r" t .*stub__.*>$", line)]
    assert len(names) > 5

    places = run_gdb(*(f"break {name}" for name in names), files=(mixed / "mixed",))

    assert [place for place in places if not re.match(r"Breakpoint \d+ at 0x", place)] == []


@needs_gdb
def test_line_of_a_kernel_has_no_host_code(mixed: Path) -> None:
    lines = (MIXED / "launches.cu").read_text().splitlines()
    kernel = next(i for i, line in enumerate(lines, 1) if line.startswith("__global__ void report"))
    host = next(i for i, line in enumerate(lines, 1) if "report<<<" in line)

    at_kernel, at_host = run_gdb(
        f"info line launches.cu:{kernel}", f"info line launches.cu:{host}", files=(mixed / "mixed",)
    )

    assert "but contains no code" in at_kernel or "is at address" in at_kernel
    assert "starts at address" not in at_kernel
    assert "starts at address" in at_host


@pytest.mark.slow
@pytest.mark.parametrize(
    "backend", [(), pytest.param(CUDA, marks=needs_backend("cuda"))], ids=["cpu", "cuda"]
)
def test_two_directories_give_the_same_objects(tmp_path: Path, backend: tuple[str, ...]) -> None:
    objects = {}
    for name in ("first", "second_and_longer"):
        source, directory = tmp_path / name / "source", tmp_path / name / "build"
        source.mkdir(parents=True)
        for file in MIXED.iterdir():
            (source / file.name).write_bytes(file.read_bytes())
        # Launches contain the names of their files.
        prefix = f"CMAKE_CXX_FLAGS=-ffile-prefix-map={tmp_path / name}=."
        configure_and_build(source, directory, prefix, *backend)
        objects[name] = {
            path.name: path.read_bytes()
            for path in (*directory.rglob("*.cpp.o"), *directory.rglob("mixed_kernels.fatbin"))
        }
    first, second = objects.values()

    assert "launches.cu.host.cpp.o" in first
    assert [name for name in first if first[name] != second[name]] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("generator", "program"),
    [("Unix Makefiles", "mixed"), ("Ninja Multi-Config", "Debug/mixed")],
)
def test_other_generators_work(tmp_path: Path, generator: str, program: str) -> None:
    build_project(MIXED, tmp_path, generator=generator)

    check_program(tmp_path / program)


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja Multi-Config"])
def test_kinds_work_with_other_generators(tmp_path: Path, generator: str) -> None:
    build_project(KINDS, tmp_path, generator=generator)

    check_program(tmp_path / ("Debug/kinds" if "Multi" in generator else "kinds"))


@pytest.mark.slow
@pytest.mark.parametrize("stubs", ["OFF", "ON", "SYMBOLS"])
def test_clang_works(tmp_path: Path, stubs: str) -> None:
    require_programs(NEWER_CLANG)

    configure_and_build(MIXED, tmp_path / "mixed", *CLANG, f"DEBUG_STUBS={stubs}")
    configure_and_build(KINDS, tmp_path / "kinds", *CLANG)

    assert "PASSED\n" in succeed(run(tmp_path / "mixed" / "mixed"))
    check_program(tmp_path / "kinds" / "kinds")


@pytest.mark.slow
@pytest.mark.parametrize(
    "definitions",
    [
        ("CMAKE_BUILD_TYPE=Release", "CMAKE_INTERPROCEDURAL_OPTIMIZATION=ON"),
        ("CMAKE_CXX_FLAGS=-flto -O2",),
        (f"CMAKE_CXX_FLAGS={SANITIZERS}",),
        ("CMAKE_UNITY_BUILD=ON",),
        ("CMAKE_CXX_FLAGS=-O3 -Wpedantic -pedantic-errors",),
        ("CMAKE_CXX_FLAGS=-fno-pie", "CMAKE_EXE_LINKER_FLAGS=-no-pie"),
        ("CMAKE_POSITION_INDEPENDENT_CODE=ON", "CMAKE_CXX_FLAGS=-O2 -fPIC"),
        ("CMAKE_CXX_VISIBILITY_PRESET=hidden", "CMAKE_VISIBILITY_INLINES_HIDDEN=ON"),
        ("CMAKE_CXX_STANDARD=20", "CMAKE_CXX_EXTENSIONS=OFF"),
    ],
    ids=lambda words: words[-1].partition("=")[2],
)
@pytest.mark.parametrize("project", [MIXED, KINDS], ids=["mixed", "kinds"])
def test_flags_of_the_project_work(
    tmp_path: Path, project: Path, definitions: tuple[str, ...]
) -> None:
    configure_and_build(project, tmp_path, *definitions)

    program = next(path for path in (tmp_path / "mixed", tmp_path / "kinds") if path.is_file())
    check_program(program)


@pytest.mark.slow
@needs_backend("cuda")
@pytest.mark.parametrize("compiler", ["g++", NEWER_CLANG])
def test_cuda_artifacts_pass_verification(tmp_path: Path, compiler: str) -> None:
    require_programs(compiler)

    for project in (MIXED, KINDS):
        directory = tmp_path / project.name
        configure_and_build(project, directory, *CUDA, f"CMAKE_CXX_COMPILER={compiler}")

    succeed(run_kbuild("verify", tmp_path / "mixed" / "mixed", tmp_path / "mixed_kinds" / "kinds"))
    assert " d void fill<int>(" in list_symbols(tmp_path / "mixed" / "mixed")
    assert os.access(tmp_path / "mixed_kinds" / "libplugin.so", os.X_OK)


@pytest.mark.slow
def test_smoke_test_of_an_archive_with_debug_stubs(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(SMOKE_PROJECT)
    (tmp_path / "define.cu").write_text("__global__ void k(int* p) { *p = 1; }\n")
    configure_and_build(tmp_path, tmp_path / "build")

    assert "100% tests passed" in succeed(ctest(tmp_path / "build"))
    fixed = configure(tmp_path, tmp_path / "build", "FIXED=ON")
    assert fixed.returncode != 0
    assert "POSITION_INDEPENDENT_CODE is 'OFF'" in " ".join(fixed.stderr.split())


@pytest.mark.slow
@pytest.mark.parametrize("generator", ["Ninja", "Ninja Multi-Config"])
def test_linkers_that_run_no_script_still_link(tmp_path: Path, generator: str) -> None:
    require_programs("ld.gold", "ld.lld")
    source = tmp_path / "it's a source"
    source.mkdir()
    (source / "CMakeLists.txt").write_text(LINKERS_PROJECT)
    (source / "launch.cu").write_text(LAUNCH)
    (source / "define.cu").write_text("__global__ void k(int* p) { *p = 1; }\n")
    (source / "main.cpp").write_text("void launch();\nint main() { launch(); }\n")
    succeed(configure(source, source / "build", generator=generator))

    for linker, has_scripts in (("bfd", True), ("lld", True), ("gold", False)):
        succeed(build(source / "build", linker))
        result = build(source / "build", f"{linker}_undefined")
        assert result.returncode != 0
        assert (f"{source / 'launch.cu'}:2: kernel 'k' is launched" in result.stdout) == has_scripts


@pytest.mark.slow
@pytest.mark.parametrize(
    "backend",
    [("cpu", "x86-64"), pytest.param(("cuda", "80-real"), marks=needs_backend("cuda"))],
    ids=["cpu", "cuda"],
)
def test_two_sources_with_cub_and_thrust_link(tmp_path: Path, backend: tuple[str, str]) -> None:
    if find_cccl(gather_hints()) is None:
        pytest.skip("CCCL is not installed (pip install nvidia-cuda-cccl)")
    (tmp_path / "CMakeLists.txt").write_text(CCCL_PROJECT)
    (tmp_path / "main.cpp").write_text(CCCL_MAIN)
    for name in ("first", "second"):
        (tmp_path / f"{name}.cu").write_text(CCCL_SOURCE.replace("NAME", name))
    name, architecture = backend
    build_directory = tmp_path / "build"
    configure_and_build(
        tmp_path, build_directory, f"BACKEND={name}", f"ARCHITECTURES={architecture}"
    )

    succeed(run_kbuild("verify", build_directory / "program"))
    if name == "cpu":
        succeed(run(build_directory / "program"))
