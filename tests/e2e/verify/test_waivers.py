"""Waivers and requirements per kernel, on a real library and the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from support.commands import run_kbuild
from support.kernel_libraries import BuildKernelLibrary

SOURCE = """\
template <typename T> __global__ void fill(T* to) { *to = 7; }
template __global__ void fill<int>(int*);
namespace ns { __global__ void legacy_scale(float* p) { *p *= 2; } }
__global__ void legacy_copy(float* p, const float* q) { *p = *q; }
"""
WAIVER = """
[[waivers]]
rule = "KB101"
kernels = {globs}
reason = "not for these machines"
expires = 2999-12-31
"""


@pytest.fixture(scope="module")
def library(build_kernel_library: BuildKernelLibrary) -> Path:
    return build_kernel_library({"k.cu": SOURCE})


def judge(library: Path, directory: Path, policy: str) -> tuple[int, list[str], list[str]]:
    """Return the exit code, the findings, and the waived findings."""
    path = directory / "policy.toml"
    path.write_text(policy)
    words = ("--select", "KB0,KB101", "--policy", path, "--format", "json")
    result = run_kbuild("verify", *words, library)
    assert not result.stderr, result.stderr
    report = json.loads(result.stdout)
    messages = [finding["message"].partition(": ")[2] for finding in report["findings"]]
    waived = [one["finding"]["message"].partition(": ")[2] for one in report["waived"]]
    return result.returncode, messages, waived


ALL = 'required_architectures = ["x86-64-v4"]\n'
FILL, SCALE, COPY = (
    "void fill<int>(int*)",
    "ns::legacy_scale(float*)",
    "legacy_copy(float*, float const*)",
)


def test_missing_architecture_of_all_kernels(library: Path, tmp_path: Path) -> None:
    code, (message,), waived = judge(library, tmp_path, ALL)
    assert (code, waived) == (1, [])
    assert all(name in message for name in (FILL, SCALE, COPY))


@pytest.mark.parametrize(
    ("globs", "kept", "hidden"),
    [
        ('["*legacy_*"]', [FILL], [SCALE, COPY]),
        ('["ns::*", "legacy_copy"]', [FILL], [SCALE, COPY]),
        ('["fill<int>"]', [SCALE, COPY], [FILL]),
        ('["_Z4fillIiEvPT_", "*legacy*"]', [], [FILL, SCALE, COPY]),
    ],
)
def test_waiver_by_kernel(
    library: Path, tmp_path: Path, globs: str, kept: list[str], hidden: list[str]
) -> None:
    code, messages, waived = judge(library, tmp_path, ALL + WAIVER.format(globs=globs))
    assert code == (1 if kept else 0)
    for names, found in ((kept, messages), (hidden, waived)):
        assert len(found) == bool(names)
        for name in (FILL, SCALE, COPY):
            assert (name in "".join(found)) == (name in names), (name, found)


@pytest.mark.parametrize(
    ("globs", "wanted"),
    [('"*legacy*"', [SCALE, COPY]), ('"fill*"', [FILL]), ('"ns::legacy_scale"', [SCALE])],
)
def test_requirement_by_kernel(
    library: Path, tmp_path: Path, globs: str, wanted: list[str]
) -> None:
    policy = f'[[for]]\nkernels = {globs}\nrequired_architectures = ["x86-64-v4"]\n'
    code, (message,), waived = judge(library, tmp_path, policy)
    assert (code, waived) == (1, [])
    names = message.removeprefix("such a device runs ").partition(" from the image for ")[0]
    assert sorted(names.split(", ")) == sorted(", ".join(wanted).split(", "))
    waiver = WAIVER.format(globs=f"[{globs}]")
    code, messages, waived = judge(library, tmp_path, policy + waiver)
    assert (code, messages) == (0, [])
    assert waived == [message]
