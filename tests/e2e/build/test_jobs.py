"""How many compilers run at once, as -j, pools, and jobservers allow."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from itertools import accumulate
from pathlib import Path

import pytest

from support.commands import KBUILD, build, configure, run, succeed

SOURCES = 3  # one more than the limits
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
    """Some kernels, and a compiler that logs when it starts and ends."""

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

    def count_concurrent(self) -> int:
        """Return the maximum number of compilers that ran at once."""
        steps = {"+": 1, "-": -1}
        return max(accumulate(steps[line] for line in self._log.read_text().split()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def list_ninjas() -> list[str]:
    """Return the system's ninja, which might not support jobservers, and the one of the wheel."""
    wheel = Path(sysconfig.get_path("scripts")) / "ninja"
    found = (shutil.which("ninja"), str(wheel) if wheel.exists() else None)
    return sorted({path for path in found if path})


@pytest.mark.parametrize("ninja", list_ninjas())
def test_ninja_obeys_the_jobserver_of_make(project: Project, ninja: str, tmp_path: Path) -> None:
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
    assert project.count_concurrent() == 2


@pytest.mark.slow
def test_make_limits_device_edges(project: Project, tmp_path: Path) -> None:
    directory = tmp_path / "build"
    settings = (f"CMAKE_CXX_COMPILER={project.compiler}",)
    succeed(configure(tmp_path, directory, *settings, generator="Unix Makefiles"))

    succeed(run("make", "-j2", "-C", directory))

    assert project.count_concurrent() == 2


@pytest.mark.slow  # test_standalone.py reads the pools of a build
def test_pool_limits_device_edges(project: Project, tmp_path: Path) -> None:
    directory = tmp_path / "build"
    settings = (f"CMAKE_CXX_COMPILER={project.compiler}", "KBUILD_DEVICE_JOBS=1")
    succeed(configure(tmp_path, directory, *settings))

    succeed(build(directory))  # with --parallel 2

    assert project.count_concurrent() == 1
