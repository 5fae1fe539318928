"""Tests for finding compilers."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends import find_builder
from kbuild.backends.cpu import build as cpu
from kbuild.backends.cuda import devices as cuda_devices
from kbuild.backends.hip import devices as hip_devices
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.toolchain.find import (
    choose_backend,
    find_launcher,
    find_toolchain,
    find_toolchain_for,
    gather_hints,
)


def make_compiler(directory: Path, name: str, prints: str, status: int = 0) -> Path:
    path = directory / name
    path.write_text(f"#!/bin/sh\necho '{prints}'\nexit {status}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("prints", "compiler_id", "version"),
    [
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "gcc", "12.2.0"),
        ("g++-13 (Ubuntu 13.3.0-6ubuntu2~24.04) 13.3.0", "gcc", "13.3.0"),
        ("c++ (GCC) 14.2.1 20250110 (Red Hat 14.2.1-7)", "gcc", "14.2.1"),
        ("Debian clang version 14.0.6", "clang", "14.0.6"),
        ("clang version 19.1.7", "clang", "19.1.7"),
    ],
)
def test_version_is_read(tmp_path: Path, prints: str, compiler_id: str, version: str) -> None:
    path = make_compiler(tmp_path, "compiler", prints)

    toolchain = find_toolchain(cpu, ToolchainHints(host_compiler=str(path)))

    assert (toolchain.compiler_id, toolchain.version) == (compiler_id, version)


@pytest.mark.parametrize(
    ("prints", "status", "expected"),
    [
        ("g++ (GCC) 9.4.0", 0, "gcc 9.4.0; kernels need gcc 11 or newer"),
        ("clang version 13.0.1", 0, "kernels need clang 14 or newer"),
        ("hello", 0, "cannot read a version from 'hello'"),
        ("", 0, "cannot read a version"),
        ("boom", 1, "does not run"),
    ],
)
def test_error_says_why_a_compiler_is_unusable(
    tmp_path: Path, prints: str, status: int, expected: str
) -> None:
    path = make_compiler(tmp_path, "compiler", prints, status)

    with pytest.raises(ToolchainError) as caught:
        find_toolchain(cpu, ToolchainHints(host_compiler=str(path)))

    assert expected in str(caught.value)
    assert caught.value.exit_code == 3


def test_error_lists_compilers_that_were_not_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)

    with pytest.raises(ToolchainError, match=r"compiler g\+\+ or clang\+\+ or c\+\+ not found"):
        find_toolchain(cpu, gather_hints())


@pytest.fixture
def gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Toolchain:
    """The only compiler on PATH of an x86-64 machine."""
    monkeypatch.setattr("kbuild.backends.cpu.machines.own_machine", lambda: "x86_64")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    make_compiler(tmp_path, "g++", "g++ (GCC) 14.2.1")
    return find_toolchain(cpu, gather_hints())


def test_native_architecture_uses_the_same_compiler(gcc: Toolchain) -> None:
    assert find_toolchain_for(cpu, "x86-64-v3", gcc, gather_hints()) is gcc


def test_cross_compiler_is_found_on_path(tmp_path: Path, gcc: Toolchain) -> None:
    path = make_compiler(tmp_path, "aarch64-linux-gnu-g++", "g++ (GCC) 13.1.0")

    found = find_toolchain_for(cpu, "aarch64", gcc, gather_hints())

    assert (found.compiler, found.version) == (path, "13.1.0")


def test_missing_cross_compiler_error_says_what_to_install(gcc: Toolchain) -> None:
    with pytest.raises(ToolchainError) as caught:
        find_toolchain_for(cpu, "aarch64", gcc, gather_hints())

    text = str(caught.value)
    assert "architecture aarch64: compiler " in text
    assert "aarch64-linux-gnu-g++ not found; install g++ for aarch64" in text


def test_error_says_why_a_cross_compiler_is_unusable(tmp_path: Path, gcc: Toolchain) -> None:
    make_compiler(tmp_path, "aarch64-linux-gnu-g++", "no headers", 1)

    with pytest.raises(ToolchainError, match=r"aarch64-linux-gnu-g\+\+ cannot compile and link"):
        find_toolchain_for(cpu, "aarch64", gcc, gather_hints())


def test_native_without_a_device_is_an_error() -> None:
    for devices, vendor in ((cuda_devices, "NVIDIA"), (hip_devices, "AMD")):
        with pytest.raises(ConfigurationError, match=f"no {vendor} device here"):
            devices.native_architectures(())
    assert cuda_devices.native_architectures(("gfx90a", "sm_90")) == ("90-real",)
    assert hip_devices.native_architectures(("gfx90a", "sm_90")) == ("gfx90a",)


def test_unknown_backend_error_lists_the_known_ones() -> None:
    with pytest.raises(ConfigurationError, match="expected one of cpu, cuda"):
        find_builder("metal")


def test_auto_selects_the_first_backend_that_has_a_compiler(tmp_path: Path) -> None:
    nvcc = make_compiler(tmp_path, "nvcc", "")

    there = choose_backend("auto", ToolchainHints(compilers=(("CUDA", str(nvcc)),)))
    no_nvcc = ("CUDA", "/nowhere/nvcc")
    second = choose_backend("auto", ToolchainHints(compilers=(no_nvcc, ("HIP", str(nvcc)))))
    missing = choose_backend("auto", ToolchainHints(compilers=(no_nvcc, ("HIP", "/no/clang"))))

    assert (there.TRAITS.name, second.TRAITS.name, missing.TRAITS.name) == ("cuda", "hip", "cpu")
    assert (
        choose_backend("cpu", ToolchainHints(compilers=(("CUDA", str(nvcc)),))).TRAITS.name == "cpu"
    )


def test_launcher_is_found_and_keeps_its_arguments(tmp_path: Path) -> None:
    path = str(make_compiler(tmp_path, "cache", "hit"))

    assert find_launcher(()) == ()
    assert find_launcher((path, "--quiet")) == (path, "--quiet")
    with pytest.raises(ToolchainError, match="compiler launcher 'no-such-cache' not found"):
        find_launcher(("no-such-cache",))
