"""A policy names a baseline, so a CMake build fails if a figure gets worse."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from support.commands import build, configure, run, run_kbuild, succeed

KERNEL = "__global__ void scale(float* p, float a) { p[threadIdx.x] *= a; }\n"
# So large that padding cannot hide it.
LARGER = (
    KERNEL
    + "__device__ int table[65536] = {1};\n"
    + ("__global__ void look(int* p) { *p = table[*p]; }\n")
)
PROJECT = """\
cmake_minimum_required(VERSION 3.22...4.0)
project(ratchet LANGUAGES CXX)
find_package(kbuild CONFIG REQUIRED)
kbuild_add_kernels(k SHARED SOURCES k.cu BACKEND cpu ARCHITECTURES x86-64 POLICY policy.toml)
"""
OTHERS = ("Unix Makefiles", "Ninja Multi-Config")
POLICY = 'baseline = "figures of/the.baseline"\n'


class Project:
    """A project whose policy names a baseline, with a build tree of one generator."""

    def __init__(self, directory: Path, generator: str) -> None:
        self.directory = directory
        self.tree = directory / "build tree"
        self.baseline = directory / "figures of" / "the.baseline"
        self.baseline.parent.mkdir()
        for name, text in (("k.cu", KERNEL), ("CMakeLists.txt", PROJECT), ("policy.toml", POLICY)):
            (directory / name).write_text(text)
        succeed(configure(directory, self.tree, generator=generator))

    @property
    def artifact(self) -> Path:
        (found,) = self.tree.rglob("libk.so")
        return found

    @property
    def stamp(self) -> int:
        """Return the time when the artifact was last accepted."""
        (found,) = self.tree.rglob("k_verified.stamp")
        return found.stat().st_mtime_ns

    def accept(self) -> None:
        succeed(build(self.tree))

    def reject(self) -> str:
        """Build, expect a failure, and return its message."""
        result = build(self.tree)
        assert result.returncode != 0, result.stdout
        return result.stdout + result.stderr

    def write_baseline(self) -> None:
        succeed(run_kbuild("verify", "--write-baseline", self.baseline, self.artifact))

    def change_baseline(self, change: Callable[[int], int]) -> None:
        rows = [json.loads(line) for line in self.baseline.read_text().splitlines()]
        for row in rows:
            if "stored_bytes" in row:
                row["stored_bytes"] = change(row["stored_bytes"])
        self.baseline.write_text("".join(json.dumps(row) + "\n" for row in rows))


@pytest.fixture(params=["Ninja", *(pytest.param(g, marks=pytest.mark.slow) for g in OTHERS)])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    return Project(tmp_path, request.param)


def test_missing_baseline_is_named_and_changes_are_judged_anew(project: Project) -> None:
    output = project.reject()
    policy = project.directory / "policy.toml"
    assert (
        f"kbuild: error: {policy}: policy.baseline: {project.baseline}: no such file; "
        f"create it with kbuild verify --write-baseline {project.baseline} PATH..."
    ) in output
    assert "Traceback" not in output
    # The artifact exists, so a baseline can be written.
    project.write_baseline()
    project.accept()
    accepted = project.stamp
    project.accept()
    assert project.stamp == accepted

    project.change_baseline(lambda size: size - 1)
    output = project.reject()
    assert "error KB205 size-budget" in output
    assert "larger images than in the baseline" in output

    project.change_baseline(lambda size: size + 1)
    project.accept()
    assert project.stamp > accepted

    (project.directory / "policy.toml").write_text(POLICY + "max_artifact_bytes = 1\n")
    assert "the policy allows 1" in project.reject()
    (project.directory / "policy.toml").write_text(POLICY)
    project.accept()

    (project.directory / "k.cu").write_text(LARGER)
    assert "error KB205 size-budget" in project.reject()
    project.write_baseline()
    project.accept()

    project.baseline.unlink()
    assert "no such file" in project.reject()


@pytest.mark.slow
def test_manifest_names_a_baseline(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(KERNEL)
    (tmp_path / "kbuild.toml").write_text(
        '[target.k]\nkind = "shared"\nsources = ["k.cu"]\narchitectures = ["x86-64"]\n'
        '[verify]\nbaseline = "k.baseline"\n'
    )
    words = ("verify", "--write-baseline", tmp_path / "k.baseline")

    failed = run_kbuild("build", cwd=tmp_path)
    assert failed.returncode != 0
    message = f"kbuild.toml: [verify].baseline: {tmp_path / 'k.baseline'}: no such file"
    assert message in failed.stdout + failed.stderr
    (artifact,) = (tmp_path / "build").rglob("libk.so")
    succeed(run_kbuild(*words, artifact, cwd=tmp_path))
    succeed(run_kbuild("build", cwd=tmp_path))
    # From the directory of the manifest, and from elsewhere with -f.
    succeed(run_kbuild("verify", artifact, cwd=tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    command = ("verify", "--policy", "../kbuild.toml", "--format", "json", artifact)
    report = json.loads(succeed(run_kbuild(*command, cwd=elsewhere)))
    assert "KB003" in report["rules_run"]


@pytest.mark.slow
def test_command_line_names_another_baseline(tmp_path: Path) -> None:
    project = Project(tmp_path, "Ninja")
    project.reject()
    other = tmp_path / "other.baseline"
    policy = ("--policy", tmp_path / "policy.toml")
    succeed(run_kbuild("verify", *policy, "--write-baseline", other, project.artifact))
    succeed(run_kbuild("verify", *policy, "--baseline", other, project.artifact))
    result = run_kbuild("verify", *policy, project.artifact)
    assert result.returncode == 2
    assert "the.baseline: no such file" in result.stderr
    result = run_kbuild("verify", "--baseline", tmp_path / "none.baseline", project.artifact)
    assert result.returncode == 2
    assert result.stderr.startswith(f"kbuild: error: {tmp_path / 'none.baseline'}: no such file;")


def test_damaged_baseline_is_named(tmp_path: Path) -> None:
    project = Project(tmp_path, "Ninja")
    project.baseline.write_text("{}\n")
    output = project.reject()
    assert f"policy.baseline: {project.baseline}: not a kbuild.baseline/1 file" in output
    assert "Traceback" not in output
    assert run("test", "-e", project.artifact).returncode == 0
