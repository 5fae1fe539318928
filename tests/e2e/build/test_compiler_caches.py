"""Compiler caches on device edges: what they hold, and that they give nothing that is old."""

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
SLOW_HIP = pytest.param("hip", marks=(needs_hip, pytest.mark.slow))


def write_sources(folder: Path) -> Path:
    for name, text in SOURCES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def compile_with(
    source: Path,
    folder: Path,
    backend: str,
    launcher: tuple[str, ...] = (),
    *debug_options: str,
) -> bytes:
    """The fat binary, made with this launcher by the stages of a build."""
    plan = plan_target(
        TargetSpec(
            name="kernels",
            kind="shared",
            backend=backend,
            sources=(source / "src/scale.cu",),
            source_root=source,
            output_directory=folder,
            architectures=(ARCHITECTURES[backend],),
            launcher=launcher,
        )
    )
    flags = DeviceFlags(
        include_directories=(str(source / "include"),), build_options=("-O2", *debug_options)
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
@pytest.mark.parametrize("backend", [CUDA, CPU, SLOW_HIP])
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
def test_another_copy_of_the_sources_hits(tmp_path: Path, sccache: Sccache, backend: str) -> None:
    source = write_sources(tmp_path / "source")
    copy = write_sources(tmp_path / "deeper" / "in a folder" / "copy")

    first = compile_with(source, tmp_path / "first", backend, ("sccache",))
    sccache.count()
    second = compile_with(copy, tmp_path / "second", backend, ("sccache",))

    assert sccache.count()["misses"] == {}
    assert first == second
    # Ninja has to learn of this copy's files, not of those that the cache saw.
    (depfile,) = (tmp_path / "second").glob("*.d")
    assert "copy/include/factor.hpp" in depfile.read_text()
    assert str(source) not in depfile.read_text()
    assert depfile.read_text().startswith(f"{tmp_path / 'second'}/")


@needs_sccache
@pytest.mark.parametrize("backend", [CUDA, CPU])
def test_debug_information_is_of_this_copy(tmp_path: Path, sccache: Sccache, backend: str) -> None:
    source = write_sources(tmp_path / "source")
    copy = write_sources(tmp_path / "copy")
    compile_with(source, tmp_path / "first", backend, ("sccache",), "-g")

    there = compile_with(copy, tmp_path / "second", backend, ("sccache",), "-g")
    assert str(copy).encode() in there
    assert str(source).encode() not in there

    sccache.count()
    assert compile_with(copy, tmp_path / "second", backend, ("sccache",), "-g") == there
    assert sccache.count()["misses"] == {}


@needs_sccache
@needs_redis
@needs_nvcc
def test_build_folders_share_a_redis_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_sources(tmp_path / "source")
    with serve_redis(tmp_path) as address:
        # A server of sccache's each, as on two machines: all they share is Redis.
        for number, wanted in enumerate(("misses", "hits")):
            folder = tmp_path / f"s{number}"
            folder.mkdir()
            with serve_sccache(folder, monkeypatch, SCCACHE_REDIS_ENDPOINT=address) as server:
                compile_with(source, tmp_path / f"build{number}", "cuda", ("sccache",))
                counts = server.count()
                other = "hits" if wanted == "misses" else "misses"
                assert set(counts[wanted]) == LANGUAGES["cuda"]
                assert not counts[other]


@needs_sccache
@needs_nvcc
def test_an_edit_gives_new_code(tmp_path: Path, sccache: Sccache) -> None:
    source, folder = write_sources(tmp_path / "source"), tmp_path / "build"
    # The host side has one, too, by which a stub unit would keep the fat binary of old.
    settings = ("CMAKE_CUDA_COMPILER_LAUNCHER=sccache", "CMAKE_CXX_COMPILER_LAUNCHER=sccache")
    architecture = f"CMAKE_CUDA_ARCHITECTURES={ARCHITECTURES['cuda']}"
    configure_and_build(source, folder, "KBUILD_BACKEND=cuda", architecture, *settings)
    old = (folder / "libkernels.so").read_bytes()
    assert sccache.count()["misses"] == {"CUBIN": 1, "PTX": 1}  # and not the stub unit's C/C++

    library = folder / "libkernels.so"
    seen = {old}
    for name, before, after in (
        ("src/scale.cu", "FACTOR 3", "FACTOR 5"),
        ("include/factor.hpp", "T(FACTOR)", "T(FACTOR + 2)"),
    ):
        path = source / name
        path.write_text(path.read_text().replace(before, after))
        succeed(build(folder))
        assert library.read_bytes() not in seen
        seen.add(library.read_bytes())
    sccache.count()
    write_sources(source)
    succeed(build(folder))

    assert library.read_bytes() == old
    assert sccache.count() == {"hits": {"CUBIN": 1, "PTX": 1}, "misses": {}}


@needs_ccache
@pytest.mark.parametrize("backend", [CPU, SLOW_HIP])
def test_ccache_holds_what_gcc_and_clang_compile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, backend: str
) -> None:
    ccache = Ccache(tmp_path / "store", monkeypatch)
    source = write_sources(tmp_path / "source")
    copy = write_sources(tmp_path / "deeper" / "copy")

    first = compile_with(source, tmp_path / "first", backend, ("ccache",))
    missed = ccache.count()["cache_miss"]
    second = compile_with(copy, tmp_path / "second", backend, ("ccache",))

    assert ccache.count() == {"direct_cache_hit": missed}
    assert first == second


@needs_ccache
@needs_nvcc
def test_ccache_lets_the_cuda_compiler_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ccache = Ccache(tmp_path / "store", monkeypatch)
    source = write_sources(tmp_path / "source")

    cached = compile_with(source, tmp_path / "cached", "cuda", ("ccache",))
    counts = ccache.count()

    assert not {"cache_miss", "direct_cache_hit"} & set(counts)
    assert cached == compile_with(source, tmp_path / "uncached", "cuda")


def test_launcher_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_sources(tmp_path / "source")
    settings = ("KBUILD_BACKEND=cpu", "CMAKE_CXX_COMPILER_LAUNCHER=no-such-cache")

    result = configure(source, tmp_path / "build", *settings)
    assert result.returncode != 0
    assert "compiler launcher 'no-such-cache' not found" in " ".join(result.stderr.split())

    # Set to nothing, kbuild's own overrides the language's; it is kept where it is unset.
    monkeypatch.setenv("KBUILD_COMPILER_LAUNCHER", "")
    succeed(configure(source, tmp_path / "build"))
    monkeypatch.delenv("KBUILD_COMPILER_LAUNCHER")
    succeed(configure(source, tmp_path / "build"))


def test_launcher_that_leaves_nothing_is_an_error(tmp_path: Path) -> None:
    source = write_sources(tmp_path / "source")

    # Also where there is an output of an earlier run.
    compile_with(source, tmp_path / "build", "cpu")

    with pytest.raises(ToolError, match="true succeeded but did not create "):
        compile_with(source, tmp_path / "build", "cpu", ("true",))


@needs_nvcc
def test_names_of_parameters_come_through_a_launcher(tmp_path: Path) -> None:
    source = write_sources(tmp_path / "source")

    compile_with(source, tmp_path / "build", "cuda", ("env",))

    record = (tmp_path / "build/kernels.record.json").read_text()
    assert '"name":"values"' in record
    assert '"name":"name"' in record


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """An empty folder that not even root can write to."""
    folder = tmp_path / "read_only"
    folder.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(folder)]
    mounted = subprocess.run(words, capture_output=True, text=True, check=False)
    if mounted.returncode != 0:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", folder], check=True)


@needs_sccache
@pytest.mark.parametrize("backend", [CPU, CUDA])
def test_sccache_that_cannot_write_changes_nothing(
    backend: str, tmp_path: Path, read_only: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = write_sources(tmp_path / "source")
    plain = compile_with(source, tmp_path / "plain", backend)
    with serve_sccache(tmp_path, monkeypatch, SCCACHE_DIR=str(read_only)):
        assert compile_with(source, tmp_path / "cached", backend, ("sccache",)) == plain


@needs_ccache
def test_launcher_that_fails_is_left_out_and_named(
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
    told = capsys.readouterr().err
    assert "ccache failed, so this command ran without it: ccache: error: Failed" in told
    assert "Read-only file system" in told


@needs_ccache
def test_errors_of_compilers_are_theirs_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Ccache(tmp_path / "store", monkeypatch)
    source = write_sources(tmp_path / "source")
    (source / "include/factor.hpp").write_text("missing\n")
    with pytest.raises(ToolError, match=r"g\+\+ failed with exit status 1") as caught:
        compile_with(source, tmp_path / "cached", "cpu", ("ccache",))
    assert "factor.hpp:1:1: error:" in str(caught.value)
