"""How many compilers run at once: what -j, pools and jobservers allow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from itertools import accumulate
from pathlib import Path

import pytest

from support.commands import KBUILD, build, configure, run, succeed

SOURCES = 6
COMPILER = """\
#!/bin/sh
echo + >> '{log}'
g++ "$@"
status=$?
echo - >> '{log}'
exit $status
"""
PROJECT = """
cmake_minimum_required(VERSION 3.22...4.0)
project(jobs LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
file(GLOB sources src/*.cu)
kbuild_add_kernels(k SHARED SOURCES ${sources} ARCHITECTURES x86-64)
"""


class Project:
    """Some kernels, and a compiler that notes when it begins and ends."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.compiler = root / "compiler"
        self._log = root / "log"
        (root / "src").mkdir()
        for number in range(SOURCES):
            text = f"__global__ void k{number}(int* p) {{ *p = {number}; }}\n"
            (root / "src" / f"{number}.cu").write_text(text)
        self.compiler.write_text(COMPILER.format(log=self._log))
        self.compiler.chmod(0o755)
        (root / "kbuild.toml").write_text(
            '[target.k]\nsources = ["src/*.cu"]\narchitectures = ["x86-64"]\n'
        )
        (root / "CMakeLists.txt").write_text(PROJECT)

    def count_together(self) -> int:
        """How many ran at once at most."""
        steps = {"+": 1, "-": -1}
        return max(accumulate(steps[line] for line in self._log.read_text().split()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def list_ninjas() -> list[str]:
    """The system's, which may not know jobservers, and the wheel's, which does."""
    beside = Path(sysconfig.get_path("scripts")) / "ninja"
    found = (shutil.which("ninja"), str(beside) if beside.exists() else None)
    return sorted({path for path in found if path})


@pytest.mark.parametrize("ninja", list_ninjas())
def test_jobserver_of_make_holds_for_ninja(project: Project, ninja: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "ninja").symlink_to(ninja)
    (tmp_path / "Makefile").write_text(f"all:\n\t+{KBUILD} build\n")
    environment = os.environ | {
        "CXX": str(project.compiler),
        "PATH": f"{programs}:{os.environ['PATH']}",
    }

    done = subprocess.run(
        ["make", "-j2"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
    assert project.count_together() == 2


def test_jobs_of_make_hold_for_device_edges(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "build"
    settings = (f"CMAKE_CXX_COMPILER={project.compiler}",)
    succeed(configure(tmp_path, folder, *settings, generator="Unix Makefiles"))

    succeed(run("make", "-j2", "-C", folder))

    assert project.count_together() == 2


def test_pool_bounds_device_edges(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "build"
    settings = (f"CMAKE_CXX_COMPILER={project.compiler}", "KBUILD_DEVICE_JOBS=1")
    succeed(configure(tmp_path, folder, *settings))

    succeed(build(folder))  # with --parallel 2

    assert project.count_together() == 1
