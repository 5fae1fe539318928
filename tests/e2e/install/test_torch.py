"""PyTorch extensions, through ``setup.py`` and through CMake. No GPU is needed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import PROJECTS, configure, run, run_kbuild, succeed
from support.tools.toolchains import needs_backend

PROJECT = PROJECTS / "torch_extension"
RECIPE = """
cmake_minimum_required(VERSION 3.22...4.0)
project(recipe LANGUAGES CXX)
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(kbuild CONFIG REQUIRED COMPONENTS torch)
Python_add_library(torch_extension_test MODULE WITH_SOABI ops.cpp)
target_compile_definitions(torch_extension_test PRIVATE EXTENSION_FACTOR=2 [[TEXT="a b"]])
target_link_libraries(torch_extension_test PRIVATE kbuild::torch_python)
kbuild_target_sources(torch_extension_test PRIVATE ops_cuda.cu BACKEND cuda ARCHITECTURES 90
    DEVICE_OPTIONS ${KBUILD_TORCH_DEVICE_OPTIONS} -DEXTENSION_OFFSET=1)
"""
needs_torch = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)


def find_toolkit() -> dict[str, str]:
    """Return the variable that makes torch use the toolkit that kbuild finds, if there is one."""
    try:
        toolchain = find_toolchain(cuda, gather_hints())
    except ToolchainError:
        return {}
    return {"CUDA_HOME": str(toolchain.compiler.resolve().parent.parent)}


def setup_py(project: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "setup.py", *words],
        cwd=project,
        env=os.environ | find_toolkit() | {"TORCH_CUDA_ARCH_LIST": "9.0+PTX"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def load_text(directory: Path) -> str:
    """Import the extension in a new process, and return its text."""
    code = "import torch, torch_extension_test as extension; print(extension.text())"
    return succeed(run(sys.executable, "-W", "ignore", "-c", code, cwd=directory)).strip()


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(PROJECT, tmp_path / "project")
    return tmp_path / "project"


@pytest.mark.slow
@needs_torch
@needs_backend("cuda")
def test_setup_py_builds_an_extension(project: Path) -> None:
    succeed(setup_py(project, "build_ext", "--inplace"))
    (extension,) = project.glob("*.so")

    assert load_text(project) == "a b"
    succeed(run_kbuild("verify", extension))
    assert "__device_stub__" not in succeed(run("nm", "-D", extension))
    assert "Compiling" not in succeed(setup_py(project, "build_ext", "--inplace"))

    (project / "ops_cuda.cu").write_text("#error edited\n")
    failed = setup_py(project, "build_ext", "--inplace")
    assert failed.returncode == 1
    assert "#error edited" in failed.stderr
    assert "Traceback" not in failed.stderr


@pytest.mark.slow
@needs_torch
@needs_backend("cuda")
def test_component_torch_builds_an_extension(project: Path, tmp_path: Path) -> None:
    (project / "CMakeLists.txt").write_text(RECIPE)
    directory = tmp_path / "build"

    succeed(configure(project, directory, f"Python_EXECUTABLE={sys.executable}"))
    succeed(run("cmake", "--build", directory))

    assert load_text(directory) == "a b"


@needs_torch
def test_missing_architecture_is_an_error(project: Path) -> None:
    failed = setup_py(project, "build_ext", TORCH_CUDA_ARCH_LIST="1.0")

    assert failed.returncode == 1
    assert "error: kbuild: TORCH_CUDA_ARCH_LIST: Unknown CUDA arch (1.0)" in failed.stderr


def test_component_torch_names_what_it_needs(tmp_path: Path) -> None:
    python = tmp_path / "python"
    python.write_text(
        "#!/bin/sh\necho \"ModuleNotFoundError: No module named 'torch'\" >&2\nexit 1\n"
    )
    python.chmod(0o755)
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.22...4.0)\n"
        "project(recipe LANGUAGES CXX)\n"
        "find_package(kbuild CONFIG OPTIONAL_COMPONENTS torch)\n"
        'message(STATUS "optional [${kbuild_FOUND}] [${kbuild_torch_FOUND}]")\n'
        f"set(Python_EXECUTABLE {python})\n"
        "find_package(kbuild CONFIG REQUIRED COMPONENTS torch)\n"
    )

    failed = configure(tmp_path, tmp_path / "build")

    assert failed.returncode != 0
    assert "optional [1] [FALSE]" in failed.stdout
    assert "cannot import torch (ModuleNotFoundError: No module named 'torch')" in " ".join(
        failed.stderr.split()
    )
