"""Tests that an edit of a mixed source compiles only what depends on it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from support.commands import build, configure, run, succeed
from support.tools.toolchains import find_compiler, find_problem, needs_backend

PROJECT = """
cmake_minimum_required(VERSION 3.22)
project(rebuild LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
add_executable(host)
target_compile_features(host PRIVATE cxx_std_17)
kbuild_target_sources(host PRIVATE one.cu two.cu BACKEND ${BACKEND} ARCHITECTURES ${ARCHITECTURE}
    DEVICE_OPTIONS ${DEVICE_OPTIONS})
"""
SOURCES = {
    "CMakeLists.txt": PROJECT,
    "one.hpp": "constexpr int one = 1;\n",
    "one.cu": """
#include "one.hpp"
#include <cuda_runtime.h>
template <class T> __global__ void fill(T* p) { *p = one; }
int run_second();
static int run() {
    int* d = nullptr;
    int v = 0;
    cudaMalloc(&d, 64);
    fill<<<1, 1>>>(d);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}
int main() { return run() + run_second(); }
""",
    "two.cu": """
#include <cuda_runtime.h>
__global__ void second(int* p) { *p = 2; }
int run_second() {
    int* d = nullptr;
    int v = 0;
    cudaMalloc(&d, 64);
    second<<<1, 1>>>(d);
    cudaMemcpy(&v, d, sizeof v, cudaMemcpyDeviceToHost);
    return v;
}
""",
}


class Project:
    """A built project that reports which outputs a build wrote."""

    def __init__(self, directory: Path, *definitions: str) -> None:
        self.source = directory / "source"
        self.directory = directory / "build"
        self.definitions = definitions
        self.source.mkdir(parents=True)
        for name, text in SOURCES.items():
            (self.source / name).write_text(text)
        self.configure()
        succeed(build(self.directory))

    def configure(self, *definitions: str) -> None:
        succeed(configure(self.source, self.directory, *self.definitions, *definitions))

    def rebuild(self) -> set[str]:
        before = self._times()
        succeed(build(self.directory))
        after = self._times()
        return {name for name, time in after.items() if before.get(name) != time}

    def run(self) -> int:
        return run(self.directory / "host").returncode

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.source / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    def _times(self) -> dict[str, int]:
        kernels = self.directory / "kbuild" / "host"
        files = {"program": self.directory / "host"}
        for name in ("one", "two"):
            files[f"device {name}"] = min(kernels.glob(f"{name}.cu.*.json"))
            files[f"host {name}"] = next(self.directory.rglob(f"{name}.cu.host.cpp.o"))
        return {name: path.stat().st_mtime_ns for name, path in files.items()}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Path]:
    """The project, and a copy of its first build."""
    directory = tmp_path_factory.mktemp("rebuild")
    project = Project(directory / "project", "BACKEND=cpu", "ARCHITECTURE=x86-64")
    shutil.copytree(directory / "project", directory / "kept", symlinks=True)
    return project, directory / "kept"


@pytest.fixture
def project(built: tuple[Project, Path]) -> Project:
    project, kept = built
    shutil.rmtree(project.source.parent)
    shutil.copytree(kept, project.source.parent, symlinks=True)
    return project


def test_second_build_does_nothing(project: Project) -> None:
    assert project.rebuild() == set()
    assert project.run() == 3


def test_host_edit_compiles_no_device_code(project: Project) -> None:
    project.edit("two.cu", "return v;", "return 10 * v;")

    assert project.rebuild() == {"host two", "program"}
    assert project.rebuild() == set()
    assert project.run() == 21


def test_new_line_in_host_code_compiles_no_device_code(project: Project) -> None:
    project.edit("one.cu", "    int v = 0;\n", "    int v = 0;\n    // A comment.\n\n")

    assert project.rebuild() <= {"host one", "program"}


def test_kernel_edit_compiles_only_device_code(project: Project) -> None:
    project.edit("two.cu", "*p = 2;", "*p = 4;")

    assert project.rebuild() == {"device two", "program"}
    assert project.rebuild() == set()
    assert project.run() == 5


@pytest.mark.slow
def test_new_instance_compiles_both(project: Project) -> None:
    project.edit("one.cu", "fill<<<1, 1>>>(d)", "fill<<<1, 1>>>((unsigned*)d)")

    assert project.rebuild() == {"device one", "host one", "program"}
    assert project.run() == 3


def test_header_edit_compiles_its_dependents(project: Project) -> None:
    project.edit("one.hpp", "one = 1", "one = 5")

    assert {"device one", "program"} <= project.rebuild() <= {"device one", "host one", "program"}
    assert project.run() == 7


@pytest.mark.slow
def test_device_option_compiles_device_code(project: Project) -> None:
    project.configure("DEVICE_OPTIONS=-ffast-math")

    assert project.rebuild() >= {"device one", "device two"}
    assert project.rebuild() == set()


def test_messages_of_both_passes_name_the_source(project: Project) -> None:
    project.edit("one.cu", "*p = one;", "*p = unknown_to_kernels;")
    assert "one.cu:4:" in build(project.directory).stdout

    project.edit("one.cu", "*p = unknown_to_kernels;", "*p = one;")
    project.edit("two.cu", "int v = 0;", "int v = unknown_to_the_host;")
    assert "two.cu:6:" in build(project.directory).stdout


def count_calls(log: Path) -> dict[str, int]:
    words = log.read_text().split() if log.is_file() else []
    log.unlink(missing_ok=True)
    return {word: words.count(word) for word in sorted(set(words))}


@pytest.mark.slow
@needs_backend("cuda")
def test_host_edit_runs_no_cuda_device_compiler(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log"
    nvcc = copy_toolkit(tmp_path / "toolkit", log)
    monkeypatch.setenv("CUDACXX", str(nvcc))
    assert find_problem("cuda", str(nvcc)) == ""
    count_calls(log)  # those of the trial, which builds do not repeat
    project = Project(tmp_path / "project", "BACKEND=cuda", "ARCHITECTURE=80-real;90-real")
    assert count_calls(log) == {"cicc": 4, "cudafe++": 2, "ptxas": 4}

    project.edit("two.cu", "return v;", "return 10 * v;")
    assert project.rebuild() == {"host two", "program"}
    assert count_calls(log) == {"cudafe++": 1}

    project.edit("two.cu", "*p = 2;", "*p = 4;")
    project.rebuild()
    assert count_calls(log) == {"cicc": 2, "cudafe++": 1, "ptxas": 2}


def copy_toolkit(to: Path, log: Path) -> Path:
    """Make a toolkit whose compilers write their names to a log, and return its nvcc."""
    nvcc = find_compiler("cuda").resolve()
    for directory, names, files in os.walk(nvcc.parent.parent, followlinks=False):
        target = to / Path(directory).relative_to(nvcc.parent.parent)
        target.mkdir(parents=True, exist_ok=True)
        if target.name == "include":
            target.rmdir()
            target.symlink_to(directory)
            names.clear()
            continue
        for name in files:
            link = target / name
            original = Path(directory) / name
            if name in ("cicc", "ptxas", "cudafe++"):
                record = f"[ \"$1\" = --version ] || echo {name} >> '{log}'"
                link.write_text(f"#!/bin/sh\n{record}\nexec '{original}' \"$@\"\n")
                link.chmod(0o755)
            elif name in ("nvcc", "nvcc.profile"):
                shutil.copy2(original, link)
            else:
                link.symlink_to(original)
    return to / "bin" / "nvcc"
