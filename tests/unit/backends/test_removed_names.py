"""Tests for the hints about names that CUDA has removed."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu import build as cpu
from kbuild.backends.cuda import build as cuda
from kbuild.backends.removed_names import find_removed_names

CLOCK = "CUDA 13 removed 'clockRate', use cudaDeviceGetAttribute with cudaDevAttrClockRate"
THREAD = "CUDA 13 removed 'cudaThreadSynchronize', use cudaDeviceSynchronize"
TEXTURE = "CUDA 12 removed 'texture', use a texture object: "
OLD = "since CUDA 13, cudaMemPrefetchAsync and cudaMemAdvise take a cudaMemLocation"
CALL = "error: no matching function for call to 'cudaMemAdvise'\nnote: no known conversion "


@pytest.mark.parametrize(
    ("log", "hint"),
    [
        # g++ (with typographic quotes in most locales), clang, and nvcc
        ("error: \u2018cudaThreadSynchronize\u2019 was not declared in this scope; did", THREAD),
        ("a.cu:4:14: error: use of undeclared identifier 'cudaThreadSynchronize'; did", THREAD),
        ('a.cu(4): error: identifier "cudaThreadSynchronize" is undefined', THREAD),
        ("a.cu:6:81: error: 'const struct cudaDeviceProp' has no member named 'clockRate'", CLOCK),
        ("a.cu:6:81: error: no member named 'clockRate' in 'cudaDeviceProp'", CLOCK),
        ('a.cu(6): error: class "cudaDeviceProp" has no member "clockRate"', CLOCK),
        ("a.cu:8:1: error: 'texture' does not name a type", TEXTURE),
        ("a.cu:8:1: error: no template named 'texture'", TEXTURE),
        ("a.cu(8): error: texture is not a template", TEXTURE),
        ('error: no suitable constructor exists to convert from "int" to "cudaMemLocation"', OLD),
        ("error: could not convert '0' from \u2018int\u2019 to \u2018cudaMemLocation\u2019", OLD),
        (f"{CALL}from 'int' to 'struct cudaMemLocation' for 3rd argument", OLD),
    ],
)
def test_removed_names_have_a_hint(log: str, hint: str) -> None:
    assert find_removed_names(log).startswith(hint)
    assert cuda.read_log(log).fix == find_removed_names(log)
    assert cpu.read_log(log).fix == find_removed_names(log, "--cuda-version")


@pytest.mark.parametrize(
    ("log", "option"),
    [
        (
            "error: 'cudaThreadSynchronize' was not declared",
            "12, which has this name",
        ),
        (
            "error: no member named 'clockRate' in 'cudaDeviceProp'",
            "12, which has this name",
        ),
        (
            "error: 'texture' does not name a type",
            "11, which has this name",
        ),
        (
            "error: 'texture' does not name a type\nerror: 'cudaThreadExit' was not declared",
            "11, which has these names",
        ),
        (
            f"{CALL}from 'int' to 'cudaMemLocation'",
            "12, which has the older form",
        ),
        ("error: 'surface' does not name a type", ""),
        ("error: 'cudaLaunch' was not declared", ""),
    ],
)
def test_cpu_can_be_like_an_older_version(log: str, option: str) -> None:
    without = find_removed_names(log)
    assert "--cuda-version" not in without
    assert cpu.read_log(log).fix == (
        f"{without}; or use --cuda-version {option}" if option else without
    )
    assert cuda.read_log(log).fix == without


def test_each_name_has_one_hint() -> None:
    line = 'a.cu(4): error: identifier "cudaThreadSynchronize" is undefined\n'
    member = 'a.cu(6): error: class "cudaDeviceProp" has no member "clockRate"\n'

    assert find_removed_names(line + line + member) == f"{THREAD}; {CLOCK}"


@pytest.mark.parametrize(
    "log",
    [
        "a.cu:4:14: error: 'foo' was not declared in this scope",
        "a.cu:6:81: error: 'struct Config' has no member named 'clockRate'",
        "a.cu:4:14: warning: 'cudaThreadSynchronize' is unused",
        "",
    ],
)
def test_other_logs_have_no_hint(log: str) -> None:
    assert not find_removed_names(log)
