"""Baselines, waivers, and wrong calls on the command line.

What each rule finds in kernels that need too much: `accuracy/demanded_resources.py`.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from support.accuracy.build_env import BuildEnv
from support.accuracy.resource_files import compile_hip
from support.accuracy.tools import missing
from support.commands import run, run_kbuild, succeed
from support.kernel_libraries import BuildKernelLibrary

needs_clang = pytest.mark.skipif(bool(missing("clang-19")), reason=missing("clang-19") or "there")


def verify_json(*words: object, code: int = 0) -> dict[str, object]:
    result = run_kbuild("verify", "--format", "json", *words)
    assert result.returncode == code, result.stdout + result.stderr
    found: dict[str, object] = json.loads(result.stdout)
    return found


@needs_clang
def test_baseline_on_the_command_line(build_env: BuildEnv, tmp_path: Path) -> None:
    calm, crowded, other = (tmp_path / name / "k.hipfb" for name in ("calm", "crowded", "other"))
    for path, made in (
        (calm, compile_hip(build_env)),
        (crowded, compile_hip(build_env, vgprs=16)),
        (other, compile_hip(build_env, "-Dplain=renamed")),
    ):
        path.parent.mkdir()
        shutil.copy(made, path)
    baseline = tmp_path / "kbuild.baseline"
    result = run_kbuild("verify", "--write-baseline", baseline, calm)
    assert (result.returncode, result.stdout) == (0, "")
    assert result.stderr == f"{baseline}: wrote the figures of 3 kernels in 1 file\n"
    first = baseline.read_bytes()
    succeed(run_kbuild("verify", "--write-baseline", baseline, "-q", calm))
    assert baseline.read_bytes() == first

    policy = tmp_path / "empty.toml"
    policy.write_text("")
    words = ("--baseline", baseline, "--policy", policy)
    assert verify_json(*words, calm)["findings"] == []
    worse = verify_json(*words, crowded, code=1)["findings"]
    assert isinstance(worse, list)
    errors = {f["rule"] for f in worse if f["severity"] == "error"}
    assert {"KB201", "KB204"} <= errors
    better = [f for f in worse if f["severity"] == "info"]
    assert [f["rule"] for f in better] == ["KB202"]
    assert f"run kbuild verify --write-baseline {baseline} PATH..." in better[0]["message"]
    renamed = verify_json(*words, "--select", "KB003", other)["findings"]
    assert isinstance(renamed, list)
    assert [(f["rule"], f["severity"], f["message"]) for f in renamed] == [
        ("KB003", "info", "new: renamed(float*) on gfx90a"),
        ("KB003", "info", "gone: plain(float*) on gfx90a"),
    ]


@needs_clang
def test_waivers_on_the_command_line(build_env: BuildEnv, tmp_path: Path) -> None:
    policy = tmp_path / "policy.toml"
    policy.write_text(
        "max_spill_bytes = 0\n"
        "[[waivers]]\n"
        'rule = "KB201"\nkernels = "crowded"\narch = "gfx9*"\nfiles = "*.hipfb"\n'
        'reason = "the kernel goes away"\nexpires = 2027-01-31\n'
    )
    path = compile_hip(build_env, vgprs=16)
    words = ("--policy", policy, "--select", "KB0,KB201", "--today")
    report = verify_json(*words, "2027-01-31", path)
    assert (report["ok"], report["findings"]) == (True, [])
    assert isinstance(report["waived"], list)
    assert [entry["waiver"]["reason"] for entry in report["waived"]] == ["the kernel goes away"]
    late = verify_json(*words, "2027-02-01", path, code=1)["findings"]
    assert isinstance(late, list)
    assert [f["rule"] for f in late] == ["KB201", "KB001"]
    unused = verify_json(*words, "2027-01-31", compile_hip(build_env))["findings"]
    assert isinstance(unused, list)
    assert [(f["rule"], f["severity"], f["path"]) for f in unused] == [
        ("KB002", "warning", str(policy))
    ]


def test_wrong_calls_name_the_problem(tmp_path: Path) -> None:
    text = tmp_path / "text.o"
    text.write_text("no object")
    empty = tmp_path / "empty.o"
    succeed(run("gcc", "-x", "c", "-c", "/dev/null", "-o", empty))
    policy = tmp_path / "policy.toml"
    policy.write_text("max_register = 3\n")
    baseline = tmp_path / "baseline"
    for words, message in (
        (("--write-baseline", baseline, text), f"{text}: "),
        (("--write-baseline", baseline, tmp_path / "absent"), "absent"),
        (("--write-baseline", baseline, empty), "so a baseline would be empty"),
        (("--write-baseline", empty, empty), "this is the artifact itself"),
        (("--baseline", empty, empty), "not a baseline: the file is not UTF-8"),
        (("--baseline", baseline, "--write-baseline", baseline, empty), "not allowed with"),
        (("--policy", policy, empty), "did you mean 'max_registers'"),
        (("--today", "soon", empty), "expected a date like 2026-12-31"),
    ):
        result = run_kbuild("verify", *words)
        assert (result.returncode, result.stdout) == (2, ""), result
        assert message in result.stderr
        assert "Traceback" not in result.stderr
        assert not baseline.exists()


def test_baseline_of_a_cpu_library_has_only_sizes(
    build_kernel_library: BuildKernelLibrary, tmp_path: Path
) -> None:
    source = "__global__ void scale(float* p) { p[threadIdx.x] *= 2; }\n"
    small = build_kernel_library({"k.cu": source}, architectures=("x86-64",))
    large = build_kernel_library({"k.cu": source}, architectures=("x86-64", "x86-64-v3"))
    baseline = tmp_path / "baseline"
    succeed(run_kbuild("verify", "--write-baseline", baseline, small))
    assert "registers" not in baseline.read_text()
    assert verify_json("--baseline", baseline, small)["findings"] == []
    grown = verify_json("--baseline", baseline, large, code=1)["findings"]
    assert isinstance(grown, list)
    assert [f["rule"] for f in grown] == ["KB205"]
    assert grown[0]["message"].startswith("the device images take ")
