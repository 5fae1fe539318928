"""The environment file: what it contains, and when CMake has to start from scratch."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild import resources
from kbuild.errors import ToolchainError
from kbuild.project.directory import BuildDirectory
from kbuild.project.environment import predict_compilers, write_environment
from kbuild.project.tools import BuildTools
from kbuild.toolchain.environment import COMPILERS_FILE, describe_programs


class Project:
    """A configured build directory, with scripts for CMake, ninja, and the compiler."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.directory = BuildDirectory(root=root / "build")
        for name in ("cmake", "ninja", "c++", "other"):
            self.write_program(name)
        for name in ("build.ninja", "CMakeCache.txt", "kbuild/k/x"):
            path = self.directory.cmake / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("x")

    def write_program(self, name: str, text: str = "#!/bin/sh\n") -> None:
        path = self.root / name
        path.write_text(text)
        path.chmod(0o755)

    def update(self, directory: BuildDirectory | None = None) -> bool:
        """Write the environment file, and return whether its content changed."""
        directory = directory or self.directory
        before = self.read(directory)
        tools = BuildTools(cmake=self.root / "cmake", ninja=self.root / "ninja")
        write_environment(directory, tools, ("k",), tuple(predict_compilers((("cpu", None),))))
        return self.read(directory) != before

    def read(self, directory: BuildDirectory) -> tuple[bytes, int] | None:
        path = directory.environment
        return (path.read_bytes(), path.stat().st_mtime_ns) if path.exists() else None


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("CXX", str(tmp_path / "c++"))
    project = Project(tmp_path)
    project.update()
    for name in ("build.ninja", "CMakeCache.txt"):
        (project.directory.cmake / name).write_text("x")
    return project


def test_file_is_not_written_if_nothing_changed(project: Project) -> None:
    assert not project.update()
    assert project.directory.is_configured()


@pytest.mark.parametrize(
    ("name", "value"),
    [("CXX", "g++"), ("CPATH", "/a\nb"), ("CMAKE_TOOLCHAIN_FILE", "t.cmake"), ("PATH", "/x\udcff")],
)
def test_changed_variable_makes_cmake_start_from_scratch(
    project: Project, monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(name, value)

    assert project.update()
    assert not project.directory.is_configured()
    assert not project.update()


def test_other_variables_do_not_matter(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EDITOR", "vi")

    assert not project.update()


@pytest.mark.parametrize("name", ["cmake", "ninja", "c++"])
def test_replaced_program_with_an_old_time_makes_cmake_start_from_scratch(
    project: Project, name: str
) -> None:
    before = (project.root / name).stat().st_mtime_ns
    project.write_program(name, "#!/bin/bash")
    os.utime(project.root / name, ns=(before, before))

    assert project.update()
    assert not project.directory.is_configured()


def test_moved_directory_makes_cmake_start_from_scratch(project: Project) -> None:
    moved = BuildDirectory(root=project.root / "moved")
    project.directory.root.rename(moved.root)

    assert project.update(moved)
    assert not moved.is_configured()


def test_changed_kbuild_makes_ninja_run_cmake(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "find_installation_time", lambda: 1)

    assert project.update()
    assert project.directory.is_configured()


def test_compiler_that_the_last_configuration_found_is_watched(project: Project) -> None:
    compilers = project.directory.cmake / "kbuild" / "k" / COMPILERS_FILE
    compilers.write_bytes(describe_programs((project.root / "other",)))
    before = compilers.stat().st_mtime_ns

    assert not project.update()
    assert compilers.stat().st_mtime_ns == before
    project.write_program("other", "#!/bin/bash")
    project.update()
    assert compilers.stat().st_mtime_ns > before
    assert project.directory.is_configured()


def test_missing_compiler_is_named_with_its_variable(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler -m64")

    with pytest.raises(ToolchainError, match="CXX: compiler 'no-such-compiler -m64' not found"):
        project.update()


def test_missing_compiler_does_not_matter_with_a_toolchain_file(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    monkeypatch.setenv("CMAKE_TOOLCHAIN_FILE", "toolchain.cmake")

    assert project.update()


def test_missing_compiler_is_an_error_that_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in ("CXX", "CMAKE_TOOLCHAIN_FILE"):
        monkeypatch.delenv(name, raising=False)

    with pytest.raises(ToolchainError, match=r"no C\+\+ compiler .*apt install g\+\+"):
        tuple(predict_compilers(()))
