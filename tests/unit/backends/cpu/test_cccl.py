"""Tests of the search for CCCL, and of what kbuild says if it is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu import build
from kbuild.backends.cpu.cccl import find_cccl, find_fix
from kbuild.backends.cuda_roots import list_packages
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints


def make_toolkit(root: Path) -> Path:
    directory = root / "include" / "cccl"
    (directory / "cuda" / "std").mkdir(parents=True)
    return directory


def test_wheels_come_before_named_toolkits(tmp_path: Path) -> None:
    wheel = make_toolkit(tmp_path / "site-packages" / "nvidia" / "cu13")
    named = make_toolkit(tmp_path / "toolkit")
    environment = (("CUDA_PATH", str(tmp_path / "toolkit")),)
    sites = (tmp_path / "site-packages",)

    both = ToolchainHints(environment=environment, site_packages=sites)

    assert find_cccl(both) == wheel
    assert find_cccl(ToolchainHints(environment=environment)) == named


def test_cccl_comes_after_the_headers_of_the_device_language(tmp_path: Path) -> None:
    directory = make_toolkit(tmp_path)
    hints = ToolchainHints(environment=(("CUDA_PATH", str(tmp_path)),))

    toolchain = build.read_toolchain(Path("/usr/bin/g++"), ("g++ (Debian) 12.2.0\n", "", ""), hints)
    options = build.header_options(toolchain)

    assert toolchain.libraries[0] == directory  # and headers of other wheels
    assert options[0].startswith("-I")
    assert f"-isystem{directory}" in options[1:]
    assert directory in build.find_runtimes(hints)[0].include_directories[1:]


@pytest.mark.parametrize("directory", ["lib64/cmake", "lib/cmake", "cccl/lib/cmake"])
def test_cmake_packages(tmp_path: Path, directory: str) -> None:
    headers = make_toolkit(tmp_path)
    assert list_packages(headers) == ()
    for name in ("cub", "cccl"):
        (tmp_path / directory / name).mkdir(parents=True)
    assert list_packages(headers) == tuple(tmp_path / directory / name for name in ("cccl", "cub"))


def test_device_language_needs_no_cccl() -> None:
    toolchain = Toolchain(
        backend="cpu", compiler=Path("/usr/bin/g++"), compiler_id="gcc", version="12.2.0"
    )

    assert len(build.header_options(toolchain)) == 2


@pytest.mark.parametrize(
    ("log", "header"),
    [
        (
            "a.cu:1:10: fatal error: thrust/sort.h: No such file or directory\n",
            "thrust/sort.h",
        ),
        ("a.cu:1:10: fatal error: 'cuda/std/span' file not found\n", "cuda/std/span"),
        ("nv/target:4:15: fatal error: nv/target: No such file or directory\n", "nv/target"),
    ],
)
def test_fix_for_a_missing_header(log: str, header: str) -> None:
    fix = build.read_log(log).fix

    assert fix.startswith(f"<{header}> belongs to CCCL, which was not found; ")
    assert "pip install nvidia-cuda-cccl" in fix


@pytest.mark.parametrize(
    "log", ["", "a.cu:1:10: fatal error: mine/sort.h: No such file or directory\n"]
)
def test_other_logs_need_no_cccl(log: str) -> None:
    assert not find_fix(log)
