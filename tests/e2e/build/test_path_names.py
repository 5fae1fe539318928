"""Unusual file names: sources are built once, or rejected before a compiler runs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from kbuild import KernelCompiler
from kbuild.errors import ConfigurationError
from support.commands import KBUILD, build, configure, run_kbuild, succeed
from support.tools.toolchains import require_backend

ARCHITECTURES = {"cpu": "x86-64", "cuda": "80", "hip": "gfx90a"}
# All versions of CMake and ninja accept these characters. Newer ones also accept "#&'?".
NAME = "a, b(1)[2]+=@:é"
HEAD = "cmake_minimum_required(VERSION 3.22...4.0)\nproject(names LANGUAGES CXX)\n"
HEAD += "find_package(kbuild CONFIG REQUIRED)\n"


def write_project(directory: Path, backend: str, inside: str = "") -> None:
    """Write a source in one directory and its header in another."""
    sources, headers = directory / f"src{inside}", directory / f"inc{inside}"
    sources.mkdir(parents=True)
    headers.mkdir()
    (headers / "h.h").write_text("#define X 1\n")
    (sources / "k.cu").write_text('#include "h.h"\n__global__ void k(int* p) { *p = X; }\n')
    (directory / "kbuild.toml").write_text(
        f'[target.t]\nbackend = "{backend}"\nsources = ["src*/*.cu"]\nverify = false\n'
        f'architectures = ["{ARCHITECTURES[backend]}"]\ninclude_directories = ["inc{inside}"]\n'
    )


@pytest.mark.slow
@pytest.mark.parametrize("backend", ["cpu", "cuda", pytest.param("hip", marks=pytest.mark.slow)])
def test_sources_with_unusual_names_are_built_once(tmp_path: Path, backend: str) -> None:
    require_backend(backend)
    directory = tmp_path / NAME
    write_project(directory, backend, inside=NAME)

    succeed(run_kbuild("build", cwd=directory))
    again = succeed(run_kbuild("build", cwd=directory))

    assert "Compiling" not in again


def test_command_in_a_name_is_not_run(tmp_path: Path) -> None:
    require_backend("cuda")
    directory = tmp_path / "project"
    write_project(directory, "cuda", inside="$(touch ran)")

    result = run_kbuild("build", cwd=directory)

    assert result.returncode == 2
    assert "do not take '$' in a path literally; rename it" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    assert not list(tmp_path.rglob("ran"))
    assert not (directory / "build").exists()


@pytest.mark.parametrize(
    "name", ["$(touch ran)", pytest.param("`touch ran`", marks=pytest.mark.slow)]
)
def test_command_in_a_name_is_not_run_in_cmake_projects(tmp_path: Path, name: str) -> None:
    require_backend("cuda")
    source = tmp_path / "source"
    (source / name).mkdir(parents=True)
    (source / name / "k.cu").write_text("__global__ void k() {}\n")
    (source / "plain.cu").write_text("__global__ void k() {}\n")
    escaped = f"{source}/{name}".replace("$", "\\$")
    call = 'kbuild_add_kernels(t STATIC BACKEND cuda ARCHITECTURES 80 SOURCES "{}" {})\n'

    (source / "CMakeLists.txt").write_text(HEAD + call.format(f"{escaped}/k.cu", ""))
    planned = configure(source, tmp_path / "planned")
    # Include directories are known only when the edges run.
    include = f'INCLUDE_DIRECTORIES "{escaped}"'
    (source / "CMakeLists.txt").write_text(HEAD + call.format("plain.cu", include))
    succeed(configure(source, tmp_path / "edges"))
    built = build(tmp_path / "edges")

    assert planned.returncode != 0
    assert "kbuild_add_kernels(t): SOURCES: " in " ".join(planned.stderr.split())
    assert built.returncode != 0
    assert "include directory: " in built.stdout + built.stderr
    assert not list(tmp_path.rglob("ran"))


def test_command_in_a_name_is_not_run_by_the_kernel_compiler(tmp_path: Path) -> None:
    require_backend("cuda")
    source = tmp_path / "$(touch ran)" / "k.cu"
    source.parent.mkdir()
    source.write_text("__global__ void k() {}\n")

    with pytest.raises(ConfigurationError, match=r"take '\$' in a path"):
        KernelCompiler(backend="cuda", arch="80-real").compile(source)

    assert not Path("ran").exists()
    assert not list(tmp_path.rglob("ran"))


def test_header_that_ninja_cannot_track_is_rejected(tmp_path: Path) -> None:
    write_project(tmp_path, "cpu")
    (tmp_path / "inc/h.h").rename(tmp_path / "inc/h;h.h")
    source = tmp_path / "src/k.cu"
    source.write_text(source.read_text().replace("h.h", "h;h.h"))

    results = [run_kbuild("build", cwd=tmp_path) for _ in range(2)]

    for result in results:
        assert result.returncode == 2
        assert "inc/h;h.h: build tools do not take ';'" in result.stdout + result.stderr


def test_source_with_two_spellings_is_compiled_once(tmp_path: Path) -> None:
    write_project(tmp_path, "cpu")
    manifest = tmp_path / "kbuild.toml"
    twice = '["src/k.cu", "src/../src/k.cu"]'
    manifest.write_text(manifest.read_text().replace('["src*/*.cu"]', twice))

    output = succeed(run_kbuild("build", cwd=tmp_path))

    assert output.count("Compiling") == 1


def test_names_that_the_locale_cannot_encode_are_rejected(tmp_path: Path) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    unicode_directory, raw_directory = tmp_path / "é", tmp_path / os.fsdecode(b"a\xe9")
    for directory in (unicode_directory, raw_directory):
        write_project(directory, "cpu")

    for directory, changes in ((unicode_directory, plain), (raw_directory, {})):
        done = subprocess.run(
            [KBUILD, "build"],
            cwd=directory,
            env={**os.environ, **changes},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 2
        assert b"not a UTF-8 path" in done.stderr
        assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("jobs", ["0", "99999999999"])
def test_invalid_numbers_of_jobs_are_rejected(tmp_path: Path, jobs: str) -> None:
    write_project(tmp_path, "cpu")
    call = 'kbuild_add_kernels(t STATIC SOURCES "src/k.cu" INCLUDE_DIRECTORIES inc)\n'
    (tmp_path / "CMakeLists.txt").write_text(HEAD + call)

    configured = configure(tmp_path, tmp_path / "cmake", f"KBUILD_DEVICE_JOBS={jobs}")
    built = run_kbuild("build", "--device-jobs", jobs, cwd=tmp_path)

    assert "expected a number from 1 to 99999" in " ".join(configured.stderr.split())
    assert built.returncode == 2
    assert f"'{jobs}' is not a number of jobs; expected 1 to 99999" in built.stderr
