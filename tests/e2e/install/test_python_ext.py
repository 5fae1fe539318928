"""A Python extension finds kbuild through pip only, and works without its build environment."""

from __future__ import annotations

import shutil
import sys
import venv
from pathlib import Path

import pytest

from support.commands import ROOT, pip, run, succeed

CHECK = """
import array, importlib.util
from saxpy_ext import saxpy
x, y = array.array("f", [1, 2, 3]), array.array("f", [10, 20, 30])
saxpy(2.0, x, y)
assert list(y) == [12, 24, 36], y
try:
    saxpy(2.0, x, array.array("d", [1, 2, 3]))
except TypeError as error:
    print(error)
assert importlib.util.find_spec("kbuild") is None
"""


def build_wheel(project: Path, wheelhouse: Path) -> Path:
    wheels = project.parent / "wheels"
    words = ("wheel", project, "--no-deps", "--wheel-dir", wheels, "--find-links", wheelhouse)
    pip(sys.executable, *words)
    (wheel,) = wheels.glob("*.whl")
    return wheel


@pytest.fixture
def project(tmp_path: Path) -> Path:
    directory = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "python_ext", directory)
    return directory


@pytest.mark.slow
def test_extension_in_a_wheel(tmp_path: Path, project: Path, wheelhouse: Path) -> None:
    wheel = build_wheel(project, wheelhouse)

    environment = tmp_path / "environment"
    venv.create(environment)
    python = environment / "bin" / "python"
    pip(sys.executable, "--python", python, "install", "--no-index", "--no-deps", wheel)
    shutil.rmtree(project)
    assert "expected a buffer of floats" in succeed(run(python, "-c", CHECK, cwd=tmp_path))


@pytest.mark.slow
def test_second_wheel_has_the_same_device_code(project: Path, wheelhouse: Path) -> None:
    build_wheel(project, wheelhouse)
    device_code = next(project.glob("build/*/kbuild/saxpy_ext_kernels/saxpy.cu.x86-64.json"))
    first = device_code.stat().st_mtime_ns

    build_wheel(project, wheelhouse)

    assert device_code.stat().st_mtime_ns == first, "a second build compiled device code again"
