"""`kbuild verify --reproducible`: two builds of one source tree in different environments."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from kbuild.cli.main import main
from kbuild.diff.reproducible.compare import compare_builds
from kbuild.report.reproducible import render_text
from kbuild.stages.compile import compile_edge
from kbuild.stages.device_link import link_edge
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec
from support.commands import configure_and_build, run_kbuild
from support.tools.nvidia_compiler import needs_nvcc
from support.tools.small_headers import SMALL_DEVICE_HEADERS
from support.tools.toolchains import needs_hipcc

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(reproduced LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(whole SHARED SOURCES src/whole.cu HEADERS include/pair.hpp DEBUG_STUBS SYMBOLS)
kbuild_add_kernels(linked STATIC SOURCES src/first.cu src/second.cu RDC ON VERIFY OFF)
"""
SOURCES = {
    "CMakeLists.txt": PROJECT,
    "include/pair.hpp": (
        "#pragma once\nstruct pair { int first; float second; };\n"
        "inline const char* header() { return __FILE__; }\n"
    ),
    "src/whole.cu": (
        '#include "../include/pair.hpp"\n'
        "namespace { __device__ int hidden = 7; }\n"
        "static __global__ void local(int* p) { *p = hidden; }\n"
        "__device__ const char* where() { return __FILE__; }\n"
        "template <class T> __global__ void fill(T* p, T v) { *p = v; }\n"
        "template __global__ void fill<int>(int*, int);\n"
        "__global__ void named(pair p, const char** name) { hidden += p.first; *name = where(); }\n"
    ),
    "src/first.cu": (
        "extern __device__ int twice(int);\n"
        "static __device__ int count;\n"
        "__global__ void first(int* p) { *p = twice(*p) + count++; }\n"
    ),
    "src/second.cu": (
        "static __device__ int count = 2;\n__device__ int twice(int i) { return count * i; }\n"
    ),
}
ARCHITECTURES = {"cpu": "x86-64", "cuda": "80", "hip": "gfx90a"}
needs_hip = needs_hipcc()
BACKENDS = (
    pytest.param("cuda", marks=needs_nvcc),
    pytest.param("hip", marks=needs_hip),
    pytest.param("cpu"),
)


def write_sources(directory: Path) -> Path:
    for path, text in SOURCES.items():
        file = directory / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return directory


def make_build(directory: Path, name: str, *definitions: str) -> Path:
    """Build a copy of the sources in a directory next to it."""
    configure_and_build(write_sources(directory / "source"), directory / name, *definitions)
    return directory / name


def make_target(source: Path, output: Path, backend: str, flags: DeviceFlags, rdc: str) -> Path:
    """Run the build stages of a target, with ``output`` as the output directory."""
    names = ("src/first.cu", "src/second.cu") if rdc == "ON" else ("src/whole.cu",)
    spec = TargetSpec(
        name="kernels",
        kind="shared",
        backend=backend,
        sources=tuple(source / name for name in names),
        source_root=source,
        output_directory=output,
        architectures=(ARCHITECTURES[backend],),
        rdc="ON" if rdc == "ON" else "OFF",
    )
    plan = plan_target(spec)
    for edge in plan.edges:
        compile_edge(edge, flags)
    for link in plan.links:
        link_edge(link, flags)
    pack_target(plan.pack)
    return output


def change_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Change the user, time zone, language, and host name."""
    for name, value in (
        ("TZ", "Pacific/Kiritimati"),
        ("USER", "somebody"),
        ("LOGNAME", "somebody"),
        ("LANG", "C"),
        ("HOSTNAME", "elsewhere"),
        ("CMAKE_BUILD_PARALLEL_LEVEL", "1"),
    ):
        monkeypatch.setenv(name, value)
    time.tzset()


@pytest.mark.parametrize(
    ("backend", "rdc"),
    [
        pytest.param("cuda", "OFF", marks=needs_nvcc),
        pytest.param("cuda", "ON", marks=(needs_nvcc, pytest.mark.slow)),
        pytest.param("hip", "OFF", marks=needs_hip),
        pytest.param("hip", "ON", marks=(needs_hip, pytest.mark.slow)),
        pytest.param("cpu", "OFF", marks=pytest.mark.slow),
        ("cpu", "ON"),
    ],
)
def test_device_code_does_not_depend_on_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str, rdc: str
) -> None:
    options = SMALL_DEVICE_HEADERS[backend]
    flags = DeviceFlags(build_options=("-O3",), definitions=("NDEBUG",), options=options)
    source = write_sources(tmp_path / "a/source")
    here = make_target(source, tmp_path / "a/out", backend, flags, rdc)
    change_environment(monkeypatch)
    mask = os.umask(0o077)
    try:
        source = write_sources(tmp_path / "b/much deeper/down")
        there = make_target(source, tmp_path / "b/elsewhere/out", backend, flags, rdc)
    finally:
        os.umask(mask)

    report = compare_builds(here, there)

    assert report.is_equal, render_text(report)
    assert report.compared > 1
    fat = (here / "kernels.fatbin").read_bytes()
    assert fat == (there / "kernels.fatbin").read_bytes()
    assert str(tmp_path).encode() not in fat
    if rdc == "OFF":
        assert b"src/whole.cu\0" in fat  # __FILE__ in the source


@pytest.mark.slow
@pytest.mark.parametrize("backend", BACKENDS)
def test_builds_do_not_depend_on_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    language = backend.upper()
    architecture = f"CMAKE_{language}_ARCHITECTURES={ARCHITECTURES[backend]}"
    settings = ("CMAKE_BUILD_TYPE=Release", f"KBUILD_BACKEND={backend}", architecture)
    here = make_build(tmp_path / "a", "build", *settings)
    change_environment(monkeypatch)
    mask = os.umask(0o077)
    try:
        there = make_build(tmp_path / "b/much deeper/down", "out", *settings)
    finally:
        os.umask(mask)

    result = run_kbuild("verify", "--reproducible", here, there)

    assert result.returncode == 0, result.stdout
    assert "all identical" in result.stdout
    for name in ("libwhole.so", "liblinked.a"):
        assert (here / name).read_bytes() == (there / name).read_bytes()
        assert str(tmp_path).encode() not in (here / name).read_bytes()


@needs_nvcc
def test_report_explains_differences(tmp_path: Path) -> None:
    options = ("-lineinfo", *SMALL_DEVICE_HEADERS["cuda"])
    flags = DeviceFlags(build_options=("-O3",), options=options)
    sources = [write_sources(tmp_path / name / "source") for name in "ab"]
    here, there = (
        make_target(source, source.parent / "out", "cuda", flags, "OFF") for source in sources
    )

    result = run_kbuild("verify", "--reproducible", here, there, "--format", "json")
    assert result.returncode == 1
    report = json.loads(result.stdout)
    assert (report["schema"], report["equal"]) == ("kbuild.reproducible/1", False)
    fat = next(file for file in report["files"] if file["file"] == "kernels.fatbin")
    image = next(image for image in fat["images"] if image["kind"] == "elf")
    part = next(part for part in image["sections"] if part["name"] == ".debug_line")
    assert part["cause"] == "path"
    assert [part["first"], part["second"]] == [f"{source}/src" for source in sources]
    assert not image["kernels"]  # line numbers are not code

    edited = sources[1] / "src/whole.cu"
    edited.write_text(edited.read_text().replace("*p = v;", "*p = v + v;"))
    make_target(sources[1], there, "cuda", flags, "OFF")

    fats = (here / "kernels.fatbin", there / "kernels.fatbin")
    result = run_kbuild("verify", "--reproducible", *fats)
    assert result.returncode == 1
    assert "    kernel void fill<int>(int*, int)\n" in result.stdout
    assert "kernel named" not in result.stdout
    assert ".text._Z4fillIiEvPT_S0_" in result.stdout


def test_bad_usage_is_rejected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b.ptx").write_text(".version 8.0\n")

    def complain(*words: object) -> str:
        assert main(["verify", "--reproducible", *map(str, words)]) == 2
        return capsys.readouterr().err

    assert "--reproducible expects two paths" in complain(tmp_path)
    assert "remove --policy" in complain("--policy", "p.toml", tmp_path, tmp_path)
    assert "no such file" in complain(tmp_path / "a", tmp_path / "none")
    assert "is a directory" in complain(tmp_path / "a", tmp_path / "b.ptx")
    assert "expected text or json" in complain(tmp_path, tmp_path, "--format", "sarif")
