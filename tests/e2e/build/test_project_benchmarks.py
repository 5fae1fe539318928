"""Tests of the benchmark that builds other projects, with a project of our own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import ROOT, run

# For developers.
pytestmark = pytest.mark.slow

PLAN = """\
name = "counter"
repository = "https://example.com/counter"
commit = "0123456"
license = "MIT"

[[sides]]
name = "kbuild"
patch = "kbuild.patch"
configure = ["sh", "-c", "cp settings.txt {build}; test -d {kbuild} && test {backend} = cpu"]
build = ["sh", "-c", "echo 'made for {architectures} by {jobs}' >> {build}/log"]

[[sides]]
name = "make"
build = ["sh", "{source}/make.sh"]
environment = { WHERE = "{build}" }

[[tests]]
name = "count"
command = ["sh", "-c", "echo 3 passed; cat log settings.txt; grep -q by settings.txt"]
summary = "passed"
"""
PATCH = """\
--- a/settings.txt
+++ b/settings.txt
@@ -1 +1 @@
-built alone
+built by kbuild
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    checkout = tmp_path / "checkout"
    (checkout / ".git").mkdir(parents=True)
    (checkout / "settings.txt").write_text("built alone\n")
    (checkout / "make.sh").write_text("cp settings.txt $WHERE && echo made >> $WHERE/log\n")
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "kbuild.patch").write_text(PATCH)
    return tmp_path


def run_benchmark(project: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(
        *(sys.executable, "-m", "benchmarks.projects", project / "plan.toml", project / "checkout"),
        *("--backend", "cpu", "--architectures", "a", "b", "--jobs", "3"),
        *("--work", project / "work", "--output", project / "results.json", *words),
        cwd=ROOT,
    )


def test_sides_are_built_and_tested(project: Path) -> None:
    result = run_benchmark(project)

    # The test of the unchanged side fails.
    assert result.returncode == 1, result.stderr
    ours, peer = json.loads((project / "results.json").read_text())["sides"]
    assert (ours["name"], peer["name"]) == ("kbuild", "make")
    assert ours["build"]["wall"] > 0
    (passed,), (failed,) = ours["tests"], peer["tests"]
    assert (passed["status"], passed["summary"]) == ("passed", "3 passed")
    assert (failed["status"], failed["summary"]) == ("failed", "exit code 1; 3 passed")
    assert (project / "work/kbuild/build/log").read_text() == "made for a;b by 3\n"
    assert not (project / "work/kbuild/source/.git").exists()
    assert (project / "checkout/settings.txt").read_text() == "built alone\n"
    rows = [line for line in result.stdout.splitlines() if line.startswith("| count ")]
    assert len(rows) == 2


def test_kept_build_is_continued(project: Path) -> None:
    for _ in range(2):
        assert run_benchmark(project, "--sides", "kbuild").returncode == 0

    assert (project / "work/kbuild/build/log").read_text() == "made for a;b by 3\n" * 2


def test_failed_build_is_shown_without_tests(project: Path) -> None:
    (project / "checkout/make.sh").write_text("echo no compiler >&2; exit 3\n")

    result = run_benchmark(project, "--sides", "make")

    assert result.returncode == 1
    assert "make is not built:\nno compiler" in result.stdout
    assert "| make | not built |" in result.stdout
    assert "| count |" not in result.stdout


def test_patch_that_does_not_apply_is_an_error(project: Path) -> None:
    (project / "checkout/settings.txt").write_text("something else\n")

    result = run_benchmark(project)

    assert result.returncode == 1
    assert "kbuild.patch does not apply to " in result.stderr
    assert not (project / "work/kbuild/source").exists()


def test_unknown_key_is_an_error(project: Path) -> None:
    (project / "plan.toml").write_text(PLAN.replace("summary =", "sumary ="))

    result = run_benchmark(project)

    assert "missing or unknown in a test: sumary" in result.stderr
