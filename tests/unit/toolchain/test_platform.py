"""Systems that kbuild does not support."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import kbuild
from kbuild import resources
from kbuild.errors import ToolchainError
from kbuild.toolchain import platform
from kbuild.toolchain.platform import check_platform, read_libc


def test_this_system_is_supported() -> None:
    libc = read_libc()

    assert libc is not None
    assert libc.startswith("glibc ")
    check_platform()


@pytest.mark.parametrize(
    ("system", "largest", "expected"),
    [
        ("win32", sys.maxsize, "kbuild does not run on win32; it needs"),
        ("darwin", sys.maxsize, "kbuild does not run on darwin; it needs"),
        ("linux", (1 << 31) - 1, "this Python is a 32-bit program, and kbuild needs"),
    ],
)
def test_other_systems_are_an_error_that_says_what_is_supported(
    system: str, largest: int, expected: str
) -> None:
    with pytest.raises(ToolchainError, match=f"^{expected} 64-bit Linux with glibc on x86-64"):
        check_platform(system, largest)


def test_system_without_glibc(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> str:
        raise ValueError(name)

    monkeypatch.setattr(os, "confstr", fail)

    with pytest.raises(ToolchainError, match=r"^the C library is not glibc.*build in an image"):
        check_platform()


def test_public_names_of_the_package_say_what_is_supported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def reject() -> None:
        check_platform("win32")

    monkeypatch.setattr(platform, "check_platform", reject)

    with pytest.raises(ToolchainError, match="kbuild does not run on win32"):
        _ = kbuild.RtcKernel
    assert kbuild.__version__


@pytest.mark.parametrize(
    ("setting", "expected"),
    [
        ("set(CMAKE_SYSTEM_NAME Windows)", "kbuild has no kernels for Windows;"),
        ("set(CMAKE_SYSTEM_NAME Darwin)", "kbuild has no kernels for Darwin;"),
        ("set(CMAKE_SIZEOF_VOID_P 4)", "kbuild has no kernels for 32-bit systems;"),
    ],
)
def test_find_package_says_what_is_supported(tmp_path: Path, setting: str, expected: str) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        f"cmake_minimum_required(VERSION 3.22)\nproject(p LANGUAGES NONE)\n{setting}\n"
        "find_package(kbuild CONFIG REQUIRED)\n"
    )

    result = subprocess.run(
        ["cmake", "-S", tmp_path, "-B", tmp_path, f"-Dkbuild_DIR={resources.cmake_directory()}"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert result.returncode != 0
    message = " ".join(result.stderr.split())
    assert f"{expected} it needs 64-bit Linux with glibc on x86-64 or AArch64" in message
