"""Tests for compiler caches on device edges."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from kbuild.cli.main import main
from kbuild.errors import ToolError
from kbuild.stages.compile import compile_edge
from kbuild.stages.edges import read_edge, write_plan
from kbuild.stages.pack import pack_target
from kbuild.stages.plan import plan_target
from kbuild.stages.target import DeviceFlags, TargetSpec
from support.commands import build, configure, configure_and_build, succeed
from support.tools.compiler_caches import (
    Ccache,
    Sccache,
    needs_ccache,
    needs_redis,
    needs_sccache,
    serve_redis,
    serve_sccache,
)
from support.tools.nvidia_compiler import needs_nvcc
from support.tools.small_headers import SMALL_DEVICE_HEADERS, set_device_headers
from support.tools.toolchains import needs_hipcc

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(cached LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES src/scale.cu INCLUDE_DIRECTORIES include VERIFY OFF)
"""
SOURCES = {
    "CMakeLists.txt": PROJECT,
    "include/factor.hpp": "template <class T> __device__ T factor() { return T(FACTOR); }\n",
    "src/scale.cu": (
        "#define FACTOR 3\n"
        '#include "factor.hpp"\n'
        "__device__ const char* where() { return __FILE__; }\n"
        "__global__ void scale(int* values, const char** name)\n"
        "{ values[0] *= factor<int>(); *name = where(); }\n"
    ),
}
LANGUAGES = {"cuda": {"CUBIN", "PTX"}, "cpu": {"C/C++"}, "hip": {"HIP"}}
ARCHITECTURES = {"cuda": "80", "hip": "gfx90a", "cpu": "x86-64"}
needs_hip = needs_hipcc()
CPU = pytest.param("cpu")
CUDA = pytest.param("cuda", marks=needs_nvcc)
SLOW_CUDA = pytest.param("cuda", marks=(needs_nvcc, pytest.mark.slow))
SLOW_HIP = pytest.param("hip", marks=(needs_hip, pytest.mark.slow))


def write_sources(directory: Path) -> Path:
    for name, text in SOURCES.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return directory


def compile_with(
    source: Path,
    directory: Path,
    backend: str,
    launcher: tuple[str, ...] = (),
    *debug_options: str,
) -> bytes:
    """Build with this launcher, and return the fat binary."""
    plan = plan_target(
        TargetSpec(
            name="kernels",
            kind="shared",
            backend=backend,
            sources=(source / "src/scale.cu",),
            source_root=source,
            output_directory=directory,
            architectures=(ARCHITECTURES[backend],),
            launcher=launcher,
        )
    )
    flags = DeviceFlags(
        include_directories=(str(source / "include"),),
        build_options=("-O2", *debug_options),
        options=SMALL_DEVICE_HEADERS[backend],
    )
    write_plan(plan)
    for edge in plan.edges:
        compile_edge(read_edge(edge.handoff), flags)
    pack_target(plan.pack)
    return plan.pack.fat_binary.read_bytes()


@pytest.fixture
def sccache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Sccache]:
    with serve_sccache(tmp_path_factory.mktemp("sccache"), monkeypatch) as server:
        yield server


@needs_sccache
@pytest.mark.parametrize("backend", [SLOW_CUDA, CPU, SLOW_HIP])
def test_second_build_compiles_nothing(tmp_path: Path, sccache: Sccache, backend: str) -> None:
    source = write_sources(tmp_path / "source")

    first = compile_with(source, tmp_path / "first", backend, ("sccache",))
    missed = sccache.count()
    second = compile_with(source, tmp_path / "second", backend, ("sccache",))
    found = sccache.count()

    assert set(missed["misses"]) == set(found["hits"]) == LANGUAGES[backend]
    assert missed["misses"] == found["hits"]
    assert not found["misses"]
    assert first == second == compile_with(source, tmp_path / "uncached", backend)
    assert sccache.count() == {"hits": {}, "misses": {}}


@needs_sccache
@pytest.mark.parametrize("backend", [CUDA, SLOW_HIP])
def test_copy_of_the_sources_in_another_directory_is_a_cache_hit(
    tmp_path: Path, sccache: Sccache, backend: str
) -> None:
    source = write_sources(tmp_path / "source")
    copy = write_sources(tmp_path / "deeper" / "in a directory" / "copy")

    first = compile_with(source, tmp_path / "first", backend, ("sccache",))
    sccache.count()
    second = compile_with(copy, tmp_path / "second", backend, ("sccache",))

    assert sccache.count()["misses"] == {}
    assert first == second
    # The depfile must name the files of this copy, not those that the cache stored.
    (depfile,) = (tmp_path / "second").glob("*.d")
    assert "copy/include/factor.hpp" in depfile.read_text()
    assert str(source) not in depfile.read_text()
    assert depfile.read_text().startswith(f"{tmp_path / 'second'}/")


@pytest.mark.slow
@needs_sccache
@pytest.mark.parametrize("backend", [CUDA, CPU])
def test_debug_information_names_the_sources_that_were_compiled(
    tmp_path: Path, sccache: Sccache, backend: str
) -> None:
    source = write_sources(tmp_path / "source")
    copy = write_sources(tmp_path / "copy")
    compile_with(source, tmp_path / "first", backend, ("sccache",), "-g")

    output = compile_with(copy, tmp_path / "second", backend, ("sccache",), "-g")
    assert str(copy).encode() in output
    assert str(source).encode() not in output

    sccache.count()
    assert compile_with(copy, tmp_path / "second", backend, ("sccache",), "-g") == output
    assert sccache.count()["misses"] == {}


@pytest.mark.slow
@needs_sccache
@needs_redis
@needs_nvcc
def test_build_directories_can_share_a_redis_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_sources(tmp_path / "source")
    with serve_redis(tmp_path) as address:
        # Each build has its own sccache server, as on two machines. They share only Redis.
        for number, expected in enumerate(("misses", "hits")):
            directory = tmp_path / f"s{number}"
            directory.mkdir()
            with serve_sccache(directory, monkeypatch, SCCACHE_REDIS_ENDPOINT=address) as server:
                compile_with(source, tmp_path / f"build{number}", "cuda", ("sccache",))
                counts = server.count()
                other = "hits" if expected == "misses" else "misses"
                assert set(counts[expected]) == LANGUAGES["cuda"]
                assert not counts[other]


@pytest.mark.slow
@needs_sccache
@needs_nvcc
def test_edit_is_a_cache_miss(tmp_path: Path, sccache: Sccache) -> None:
    source, directory = write_sources(tmp_path / "source"), tmp_path / "build"
    # With a launcher for host code, a cached stub unit would contain the old fat binary.
    settings = (
        *("CMAKE_CUDA_COMPILER_LAUNCHER=sccache", "CMAKE_CXX_COMPILER_LAUNCHER=sccache"),
        *("KBUILD_BACKEND=cuda", f"CMAKE_CUDA_ARCHITECTURES={ARCHITECTURES['cuda']}"),
    )
    configure_and_build(source, directory, *settings, set_device_headers("cuda"))
    old = (directory / "libkernels.so").read_bytes()
    assert sccache.count()["misses"] == {"CUBIN": 1, "PTX": 1}  # the stub unit is not cached

    library = directory / "libkernels.so"
    seen = {old}
    for name, before, after in (
        ("src/scale.cu", "FACTOR 3", "FACTOR 5"),
        ("include/factor.hpp", "T(FACTOR)", "T(FACTOR + 2)"),
    ):
        path = source / name
        path.write_text(path.read_text().replace(before, after))
        succeed(build(directory))
        assert library.read_bytes() not in seen
        seen.add(library.read_bytes())
    sccache.count()
    write_sources(source)
    succeed(build(directory))

    assert library.read_bytes() == old
    assert sccache.count() == {"hits": {"CUBIN": 1, "PTX": 1}, "misses": {}}


@needs_ccache
@pytest.mark.parametrize("backend", [CPU, SLOW_HIP])
def test_ccache_caches_gcc_and_clang(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    ccache = Ccache(tmp_path / "store", monkeypatch)
    source = write_sources(tmp_path / "source")
    copy = write_sources(tmp_path / "deeper" / "copy")

    first = compile_with(source, tmp_path / "first", backend, ("ccache",))
    missed = ccache.count()["cache_miss"]
    second = compile_with(copy, tmp_path / "second", backend, ("ccache",))

    # ccache compares the rewritten text of the cpu backend after preprocessing it again.
    mode = "preprocessed" if backend == "cpu" else "direct"
    assert ccache.count() == {f"{mode}_cache_hit": missed}
    assert first == second


@pytest.mark.slow  # sccache is the cache for nvcc
@needs_ccache
@needs_nvcc
def test_ccache_does_not_cache_nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ccache = Ccache(tmp_path / "store", monkeypatch)
    source = write_sources(tmp_path / "source")

    cached = compile_with(source, tmp_path / "cached", "cuda", ("ccache",))
    counts = ccache.count()

    assert not {"cache_miss", "direct_cache_hit"} & set(counts)
    assert cached == compile_with(source, tmp_path / "uncached", "cuda")


def test_error_names_a_missing_launcher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_sources(tmp_path / "source")
    settings = ("KBUILD_BACKEND=cpu", "CMAKE_CXX_COMPILER_LAUNCHER=no-such-cache")

    result = configure(source, tmp_path / "build", *settings)
    assert result.returncode != 0
    assert "compiler launcher 'no-such-cache' not found" in " ".join(result.stderr.split())

    # An empty variable overrides the language's launcher. CMake stores it until the next change.
    monkeypatch.setenv("KBUILD_COMPILER_LAUNCHER", "")
    succeed(configure(source, tmp_path / "build"))
    monkeypatch.delenv("KBUILD_COMPILER_LAUNCHER")
    succeed(configure(source, tmp_path / "build"))


def test_launcher_that_does_not_create_the_output_is_an_error(tmp_path: Path) -> None:
    source = write_sources(tmp_path / "source")

    # It is also an error if an earlier run created the output.
    compile_with(source, tmp_path / "build", "cpu")

    with pytest.raises(ToolError, match="true succeeded but did not create "):
        compile_with(source, tmp_path / "build", "cpu", ("true",))


@needs_nvcc
def test_parameter_names_are_found_with_a_launcher(tmp_path: Path) -> None:
    source = write_sources(tmp_path / "source")

    compile_with(source, tmp_path / "build", "cuda", ("env",))

    record = (tmp_path / "build/kernels.record.json").read_text()
    assert '"name":"values"' in record
    assert '"name":"name"' in record


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """An empty directory that not even root can write to."""
    directory = tmp_path / "read_only"
    directory.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(directory)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    yield directory
    subprocess.run(["umount", "--lazy", directory], check=True)


@pytest.mark.slow
@needs_sccache
@pytest.mark.parametrize("backend", [CPU, CUDA])
def test_output_is_the_same_when_sccache_cannot_write(
    backend: str, tmp_path: Path, read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_sources(tmp_path / "source")
    plain = compile_with(source, tmp_path / "plain", backend)
    with serve_sccache(tmp_path, monkeypatch, SCCACHE_DIR=str(read_only)):
        assert compile_with(source, tmp_path / "cached", backend, ("sccache",)) == plain


@needs_ccache
def test_failed_launcher_is_skipped_with_a_warning(
    tmp_path: Path,
    read_only: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Ccache(read_only, monkeypatch)
    source = write_sources(tmp_path / "source")
    plain = compile_with(source, tmp_path / "plain", "cpu")
    assert compile_with(source, tmp_path / "cached", "cpu", ("ccache",)) == plain
    (edge,) = (tmp_path / "cached").glob("*.edge")
    edge.with_suffix(".json").unlink()
    flags = tmp_path / "flags"
    flags.write_text(f"include_directory {source / 'include'}\n")
    assert main(["compile", str(edge), "--flags", str(flags)]) == 0
    warning = capsys.readouterr().err
    assert "ccache failed, so this command ran without it: ccache: error: " in warning
    assert "Read-only file system" in warning


@needs_ccache
def test_compiler_error_does_not_mention_the_launcher(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ccache(tmp_path / "store", monkeypatch)
    source = write_sources(tmp_path / "source")
    (source / "include/factor.hpp").write_text("missing\n")
    with pytest.raises(ToolError, match=r"g\+\+ failed with exit status 1") as caught:
        compile_with(source, tmp_path / "cached", "cpu", ("ccache",))
    assert "factor.hpp:1:1: error:" in str(caught.value)
