"""The script that linkers run for each undefined symbol of a target with mixed sources."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kbuild import resources
from support.commands import run, succeed

WRITE = """
cmake_minimum_required(VERSION 3.22)
include("{module}")
_kbuild_write_explanations("{script}" "{lists}")
"""


@pytest.fixture
def script(tmp_path: Path) -> Path:
    """A script for three sources, of which one was not read yet."""
    directory = tmp_path / "it's a build"
    directory.mkdir()
    lists = [directory / f"{name}.cu.launches" for name in ("a", "b", "missing")]
    lists[0].write_text("k a source/a.cu:4\nscale a source/a.cu:5\n")
    lists[1].write_text("last b.cu:6\n")
    path = directory / "explain"
    write = WRITE.format(
        module=resources.cmake_directory() / "KbuildExplainLinks.cmake",
        script=path,
        lists=";".join(map(str, lists)),
    )
    (tmp_path / "write.cmake").write_text(write)
    succeed(run("cmake", "-P", tmp_path / "write.cmake"))
    return path


def explain(script: Path, symbol: str, path: str | None = None) -> str:
    """Return what the script prints; it must find its programs in ``path``, if it is given."""
    environment = None if path is None else {"PATH": path}
    words = [str(script), "undefined-symbol", symbol]
    result = subprocess.run(
        words, env=environment, check=False, stderr=subprocess.STDOUT, stdout=subprocess.PIPE
    )
    return result.stdout.decode()


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("k", "a source/a.cu:4: kernel 'k'"),
        ("_Z1kPi", "a source/a.cu:4: kernel 'k'"),
        ("_ZN2ns5scaleEPf", "a source/a.cu:5: kernel 'scale'"),
        ("_ZN2ns5scaleIfEEvPT_", "a source/a.cu:5: kernel 'scale'"),
        ("_ZN12_GLOBAL__N_14lastEv", "b.cu:6: kernel 'last'"),
    ],
)
def test_kernels_of_any_source_are_explained(script: Path, symbol: str, expected: str) -> None:
    (line,) = explain(script, symbol).splitlines()

    assert line.startswith(f"kbuild: error: {expected} is launched, but no linked file defines it;")


@pytest.mark.parametrize("symbol", ["_Z2kkPi", "_ZN2ns5scale6launchEv", "_Z6scaledv", "kk"])
def test_other_functions_are_not(script: Path, symbol: str) -> None:
    assert explain(script, symbol) == ""


@pytest.mark.parametrize(
    "symbol",
    [
        *("kbuild_shadow_1a2b_0", "_ZN6kbuild6launchEv", "__cudaRegisterFunction"),
        *("_ZTV5scale", "_ZNK5scaleclEv", "_ZNSt6vectorIiE5scaleEv", "_ZSt5scalev", "_ZGVZ1kvE1x"),
    ],
)
def test_names_that_no_kernel_has_start_no_program(script: Path, symbol: str) -> None:
    assert explain(script, symbol, path="") == ""
    assert "not found" in explain(script, "k", path="")
