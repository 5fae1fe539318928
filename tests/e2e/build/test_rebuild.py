"""Tests that an edit rebuilds only what depends on it, with both generators."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.commands import GENERATORS, build, configure, run, succeed

PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(rebuild LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(kernels SHARED SOURCES one.cu two.cu ARCHITECTURES x86-64)
add_executable(host host.cpp)
target_link_libraries(host PRIVATE kernels)
"""
SOURCES = {
    "CMakeLists.txt": PROJECT,
    "one.hpp": "constexpr int one = 1;\n",
    "one.cu": '#include "one.hpp"\n__global__ void first(int* p) { *p = one; }\n',
    "two.cu": "__global__ void second(int* p) { *p = 2; }\n",
    "host.cpp": (
        '#include "kernels_kernels.hpp"\n'
        "int main() { int v = 0; return bool(kbuild::launch(first, {1, 1}, &v)) || v == 0; }\n"
    ),
}


class Project:
    """A built project that reports what a build wrote."""

    def __init__(self, directory: Path, generator: str) -> None:
        self.source = directory / "source"
        self.build_directory = directory / "build"
        self.source.mkdir(parents=True)
        for name, text in SOURCES.items():
            (self.source / name).write_text(text)
        succeed(configure(self.source, self.build_directory, generator=generator))
        succeed(build(self.build_directory))

    def keep(self, kept: Path) -> None:
        """Copy everything, with modification times."""
        shutil.copytree(self.source.parent, kept, symlinks=True)

    def restore(self, kept: Path) -> None:
        """Restore the copy in the original directory, because build trees cannot be moved."""
        shutil.rmtree(self.source.parent)
        shutil.copytree(kept, self.source.parent, symlinks=True)

    def rebuild(self) -> set[str]:
        before = self._times()
        succeed(build(self.build_directory))
        after = self._times()
        return {name for name, time in after.items() if before.get(name) != time}

    def _times(self) -> dict[str, int]:
        kernels = self.build_directory / "kbuild" / "kernels"
        files = {
            "device one": kernels / "one.cu.x86-64.json",
            "device two": kernels / "two.cu.x86-64.json",
            "stub": next(self.build_directory.rglob("kernels_stub.cpp.o")),
            "host": next(self.build_directory.rglob("host.cpp.o")),
            "library": self.build_directory / "libkernels.so",
            "verified": self.build_directory / "kbuild" / "kernels_verified.stamp",
        }
        return {name: path.stat().st_mtime_ns for name, path in files.items()}

    def edit(self, name: str, old: str, new: str) -> None:
        path = self.source / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))


@pytest.fixture(scope="module", params=GENERATORS)
def built(
    tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> tuple[Project, Path]:
    """The project, and a copy of its first build."""
    directory = tmp_path_factory.mktemp("rebuild")
    project = Project(directory / "project", request.param)
    project.keep(directory / "kept")
    return project, directory / "kept"


@pytest.fixture
def project(built: tuple[Project, Path]) -> Project:
    project, kept = built
    project.restore(kept)
    return project


def test_second_build_does_nothing(project: Project) -> None:
    assert project.rebuild() == set()


# Each generator reads depfiles in its own way.
@pytest.mark.parametrize("built", GENERATORS, indirect=True)
def test_header_edit_recompiles_its_dependents(project: Project) -> None:
    project.edit("one.hpp", "one = 1", "one = 11")

    assert project.rebuild() == {"device one", "stub", "library", "verified"}
    assert project.rebuild() == set()


def test_kernel_body_edit_does_not_recompile_host_files(project: Project) -> None:
    project.edit("two.cu", "*p = 2", "*p = 22")

    assert project.rebuild() == {"device two", "stub", "library", "verified"}
    assert project.rebuild() == set()


def test_host_edit_does_not_recompile_device_code(project: Project) -> None:
    project.edit("host.cpp", "v == 0", "v != 1")

    assert project.rebuild() == {"host"}


def test_comment_edit_in_a_kernel_does_not_relink(project: Project) -> None:
    project.edit("two.cu", "*p = 2;", "*p = 2; /* two */")

    assert project.rebuild() == {"device two"}
    assert project.rebuild() == set()


def test_new_parameter_recompiles_host_files(project: Project) -> None:
    project.edit("one.cu", "int* p)", "int* p, int = 0)")
    project.edit("host.cpp", "&v)", "&v, 7)")

    assert project.rebuild() == {"device one", "stub", "host", "library", "verified"}


def test_new_source_does_not_recompile_other_sources(project: Project) -> None:
    (project.source / "three.cu").write_text("__global__ void third(int* p) { *p = 3; }\n")
    project.edit("CMakeLists.txt", "two.cu", "two.cu three.cu")

    changed = project.rebuild()

    assert {"device one", "device two"}.isdisjoint(changed)
    assert (project.build_directory / "kbuild/kernels/three.cu.x86-64.json").is_file()


def test_changed_definition_recompiles_device_code(project: Project) -> None:
    project.edit("CMakeLists.txt", "x86-64)", "x86-64 DEFINITIONS FOO=1)")

    assert {"device one", "device two"} <= project.rebuild()


def test_debug_stubs_need_only_relinking(project: Project) -> None:
    library = project.build_directory / "libkernels.so"
    stub = "__device_stub__firstPi"
    project.edit("CMakeLists.txt", "x86-64)", "x86-64 DEBUG_STUBS ON)")

    assert project.rebuild() == {"stub", "library", "verified"}
    assert stub in succeed(run("nm", library))
    succeed(run(project.build_directory / "host"))

    project.edit("CMakeLists.txt", " DEBUG_STUBS ON)", ")")

    assert project.rebuild() == {"stub", "library", "verified"}
    assert stub not in succeed(run("nm", library))
    succeed(run(project.build_directory / "host"))
