"""Tests for finding HIP in directory trees like those of its distributions."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.hip import build as hip
from kbuild.backends.hip import installation as hip_installation
from kbuild.backends.hip.installation import (
    Installation,
    find_installation,
    find_runtime_library,
    list_compilers,
    list_roots,
)
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.errors import ToolchainError

VERSION = """\
#define HIP_VERSION_MAJOR 7
#define HIP_VERSION_MINOR 2
#define HIP_VERSION_PATCH 53210
#define HIP_VERSION_GITHASH "abc"
"""


def lay_out(root: Path, *files: str) -> Path:
    for name in files:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(VERSION if path.name == "hip_version.h" else "")
    return root


HEADER = "include/hip/hip_version.h"


def isa(directory: str, *processors: str) -> tuple[str, ...]:
    return tuple(f"{directory}/oclc_isa_version_{name}.bc" for name in processors)


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without HIP in ``/opt`` and ``/usr``."""
    monkeypatch.setattr(hip_installation, "_OPT", tmp_path / "opt/rocm")
    monkeypatch.setattr(hip_installation, "_SYSTEM", tmp_path / "usr")
    return tmp_path


def set_root(root: Path) -> ToolchainHints:
    return ToolchainHints(environment=(("ROCM_PATH", str(root)),))


def test_debian_packages_are_found_in_usr(machine: Path) -> None:
    libraries = "lib/x86_64-linux-gnu"
    bitcode = isa(f"{libraries}/amdgcn/bitcode", "90a", "906", "1030", "9-generic")
    root = lay_out(
        machine / "usr", HEADER, *bitcode, f"{libraries}/libamdhip64.so.5", "lib/llvm/bin/clang++"
    )

    found = find_installation(ToolchainHints())

    assert found.options == (
        f"--rocm-path={root}",
        "--hip-version=7.2.53210",
        f"--rocm-device-lib-path={root / libraries / 'amdgcn/bitcode'}",
    )
    assert found.processors == ("gfx906", "gfx90a", "gfx1030", "gfx9-generic")
    library = root / libraries / "libamdhip64.so.5"
    assert find_runtime_library(ToolchainHints()) == (root, library)
    # The system's clang is not a candidate, because the libraries can be for another version.
    assert tuple(list_compilers(ToolchainHints())) == ("amdclang++", "hipcc")


@pytest.mark.parametrize(
    ("version", "options"),
    [
        ("5.7", ("-mcode-object-version=4",)),
        ("6.4", ("-mcode-object-version=5",)),
        ("7.2", ()),
    ],
)
def test_old_runtimes_get_old_code_objects(version: str, options: tuple[str, ...]) -> None:
    found = Installation(
        root=Path("/r"), version=f"{version}.1", device_libraries=Path("/d"), processors=()
    )

    assert found.options[3:] == options


def test_rocm_is_found_in_opt(machine: Path) -> None:
    root = lay_out(
        machine / "opt/rocm",
        *(HEADER, *isa("amdgcn/bitcode", "942"), "llvm/bin/amdclang++", "llvm/bin/clang++"),
        *("lib/libamdhip64.so", "lib/libamdhip64.so.7", "lib/libamdhip64.so.7.2.53210"),
    )

    assert find_installation(ToolchainHints()).device_libraries == root / "amdgcn/bitcode"
    assert next(list_compilers(ToolchainHints())) == str(root / "llvm/bin/amdclang++")
    assert find_runtime_library(ToolchainHints()) == (root, root / "lib/libamdhip64.so.7")


def test_newest_version_is_chosen(machine: Path) -> None:
    for version in ("rocm-6.4.1", "rocm-7.10.0", "rocm-7.2.0"):
        lay_out(machine / "opt" / version, HEADER, *isa("amdgcn/bitcode", "942"))

    assert find_installation(ToolchainHints()).root == machine / "opt/rocm-7.10.0"


def test_core_sdk_is_found_one_directory_deeper(machine: Path) -> None:
    bitcode = isa("lib/llvm/amdgcn/bitcode", "950")
    root = lay_out(machine / "opt/rocm/core-10.0", HEADER, *bitcode, "lib/llvm/bin/amdclang++")

    assert find_installation(ToolchainHints()).processors == ("gfx950",)
    assert next(list_compilers(ToolchainHints())) == str(root / "lib/llvm/bin/amdclang++")


def test_headers_and_libraries_of_wheels_are_found(machine: Path) -> None:
    site = machine / "site-packages"
    lay_out(site / "_rocm_sdk_devel", HEADER)
    core = lay_out(
        site / "_rocm_sdk_core",
        *(*isa("lib/llvm/amdgcn/bitcode", "942", "1201"), "lib/llvm/bin/amdclang++"),
        *("lib/libamdhip64.so.7", "bin/hipcc"),
    )
    hints = ToolchainHints(site_packages=(site,))

    found = find_installation(hints)

    assert found.root == site / "_rocm_sdk_devel"
    assert found.device_libraries == core / "lib/llvm/amdgcn/bitcode"
    assert next(list_compilers(hints)) == str(core / "lib/llvm/bin/amdclang++")
    assert find_runtime_library(hints) == (found.root, core / "lib/libamdhip64.so.7")


def test_settings_of_the_user_take_precedence(machine: Path) -> None:
    lay_out(machine / "opt/rocm", HEADER, *isa("amdgcn/bitcode", "906"), "llvm/bin/clang++")
    own = lay_out(machine / "own", HEADER, *isa("amdgcn/bitcode", "942"), "llvm/bin/clang++")

    assert list_roots(set_root(own))[0] == own
    assert find_installation(set_root(own)).processors == ("gfx942",)
    assert hip.list_candidates(set_root(own)).names[0] == str(own / "llvm/bin/clang++")
    named = ToolchainHints(compilers=(("HIP", "/my/clang++"),))
    assert hip.list_candidates(named).names == ("/my/clang++",)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ((), "hip/hip_runtime.h not found; install HIP .Debian: libamdhip64-dev"),
        ((HEADER,), "ROCm device libraries .* not found.*Debian: rocm-device-libs"),
    ],
)
def test_error_names_what_is_missing(machine: Path, files: tuple[str, ...], message: str) -> None:
    lay_out(machine / "own", *files).mkdir(exist_ok=True)

    with pytest.raises(ToolchainError, match=message):
        find_installation(set_root(machine / "own"))
    assert hip.find_runtimes(set_root(machine / "own")) == ()


def test_error_names_a_missing_root(machine: Path) -> None:
    with pytest.raises(ToolchainError, match=r"ROCM_PATH is .*nowhere'?: no such directory"):
        find_installation(set_root(machine / "nowhere"))


def test_error_names_a_header_without_a_version(machine: Path) -> None:
    root = lay_out(machine / "own", HEADER, *isa("amdgcn/bitcode", "906"))
    (root / HEADER).write_text("#pragma once\n")

    with pytest.raises(ToolchainError, match="contains no HIP version"):
        find_installation(set_root(root))


def test_wrapper_is_replaced_by_the_clang_that_it_calls(machine: Path) -> None:
    root = lay_out(machine / "own", HEADER, "llvm/bin/lld", *isa("amdgcn/bitcode", "906"))
    texts = ("HIP version: 7.2.53210\nclang version 22.0.0git\n", f"{root}/llvm/bin/bundler\n")

    found = hip.read_toolchain(Path("/usr/bin/hipcc"), texts, set_root(root))

    assert found.compiler == root / "llvm/bin/clang++"
    assert found.version == "22.0.0"
    assert found.packer == root / "llvm/bin/bundler"
    assert found.architectures == ("gfx906",)
    direct = ("clang version 22.0.0git\n", texts[1])
    assert hip.read_toolchain(Path("/c/clang++"), direct, set_root(root)).compiler == Path(
        "/c/clang++"
    )
