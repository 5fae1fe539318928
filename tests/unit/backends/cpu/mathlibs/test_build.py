"""What kbuild says about libraries that are not installed, and which headers it provides."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu.build import header_options
from kbuild.backends.cpu.mathlibs.build import list_missing, list_scripts
from kbuild.backends.cpu.mathlibs.headers import find_fix, list_directories
from kbuild.backends.cpu.toolchain import read_toolchain
from kbuild.backends.interface.toolchain import ToolchainHints


def test_a_linker_says_what_to_install(tmp_path: Path) -> None:
    hints = ToolchainHints(environment=(("KISSFFT_ROOT", str(tmp_path)),))
    assert list_scripts(hints) == ()
    scripts = dict(list_missing(hints))
    problem = "libcublas.so on the cpu backend needs OpenBLAS: pip install 'kbuild[mathlibs]'"
    assert scripts["libcublas.so"] == f'ASSERT(0, "{problem}")\n'
    assert "Debian: libkissfft-dev" in scripts["libcufft.so"]
    assert "pip install 'kbuild[mathlibs]'" in scripts["libcusparse.so"]
    assert "pip install nvidia-curand nvidia-cuda-runtime" in scripts["libcurand.so"]


def test_an_installed_library_is_not_missing(tmp_path: Path) -> None:
    (tmp_path / "scipy_openblas64" / "lib").mkdir(parents=True)
    hints = ToolchainHints(site_packages=(tmp_path,))
    assert "libcublas.so" not in dict(list_missing(hints))


def test_numbers_need_the_runtime_of_nvidia(tmp_path: Path) -> None:
    root = tmp_path / "nvidia" / "cu13"
    for name in ("include/curand_kernel.h", "lib/libcurand.so.10"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("")
    hints = ToolchainHints(site_packages=(tmp_path,))
    assert "nvidia-cuda-runtime" in dict(list_missing(hints))["libcurand.so"]
    (root / "lib" / "libcudart.so.13").write_text("")
    assert "libcurand.so" not in dict(list_missing(hints))


def test_headers_of_curand_are_nvidias(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    include = tmp_path / "nvidia" / "cu13" / "include"
    include.mkdir(parents=True)
    hints = ToolchainHints(site_packages=(tmp_path,))
    for name in ("curand_kernel.h", "curand_uniform.h", "npp.h"):
        (include / name).write_text("")
    (directory,) = list_directories(hints)
    names = {path.name for path in directory.iterdir() if path.is_file()}
    assert names == {"curand_kernel.h", "curand_uniform.h"}
    own = f'#include "{include / "curand_uniform.h"}"\n'
    assert (directory / "curand_uniform.h").read_text() == own
    assert "curand_prelude.h" in (directory / "curand_kernel.h").read_text()
    assert list_directories(hints) == (directory,)
    (include / "nvtx3").mkdir()
    (include / "nvtx3" / "nvtx3.hpp").write_text("")
    (directory,) = list_directories(hints)
    lines = ["#include <nvtx3/nvToolsExt.h>", f'#include "{include}/nvtx3/nvtx3.hpp"']
    assert (directory / "nvtx3" / "nvtx3.hpp").read_text().splitlines() == lines
    toolchain = read_toolchain(Path("g++"), ("g++ (Debian 12.2.0-14) 12.2.0\n", "", ""), hints)
    assert f"-isystem{directory}" in header_options(toolchain)


def test_an_error_says_which_wheel_has_the_header() -> None:
    log = "a.cu:1:10: fatal error: curand_kernel.h: No such file or directory"
    assert find_fix(log).endswith("install it with 'pip install nvidia-curand'")
    log = "a.cu:1:10: fatal error: 'nvtx3/nvtx3.hpp' file not found"
    assert find_fix(log).endswith("install it with 'pip install nvidia-nvtx'")
    assert find_fix("a.cu:1:10: fatal error: other.h: No such file or directory") == ""
