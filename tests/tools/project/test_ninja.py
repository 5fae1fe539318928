"""Reading ninja's progress, and explaining its errors."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kbuild.errors import BuildError, ToolError
from kbuild.process import find_build_program
from kbuild.project.build_output import BuildOutput, BuildStep
from kbuild.project.ninja import NinjaRun, run_ninja

RULES = """\
rule copy
  command = sleep 0.05 && cp $in $out
  description = 7 Copying $out
build one: copy input
build two: copy one
"""


class Reporter:
    """Collects what it receives."""

    def __init__(self) -> None:
        self.steps: list[BuildStep] = []
        self.lines: list[str] = []

    def report_phase(self, name: str) -> None:
        raise AssertionError(name)  # only commands announce phases

    def report_step(self, step: BuildStep) -> None:
        self.steps.append(step)

    def report_line(self, line: str) -> None:
        self.lines.append(line)

    def report_end(self, summary: str) -> None:
        self.lines.append(summary)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    (tmp_path / "build.ninja").write_text(RULES)
    (tmp_path / "input").touch()
    return tmp_path


def test_steps_and_remaining_time_are_reported(directory: Path) -> None:
    ninja = find_build_program("ninja")
    assert ninja is not None
    reporter = Reporter()

    run_ninja(NinjaRun(ninja=ninja, directory=directory), BuildOutput(reporter))
    (directory / "two").unlink()
    run_ninja(NinjaRun(ninja=ninja, directory=directory), BuildOutput(reporter))

    expected = [(1, 2, "7 Copying one"), (2, 2, "7 Copying two"), (1, 1, "7 Copying two")]
    assert [(step.finished, step.total, step.description) for step in reporter.steps] == expected
    version = subprocess.run(
        [ninja, "--version"], capture_output=True, text=True, check=True
    ).stdout
    predicts = tuple(map(int, version.split(".")[:2])) >= (1, 12)
    assert reporter.steps[-1].seconds_left == (0 if predicts else None)


@pytest.mark.skipif(shutil.which("ccache") is None, reason="ccache is not installed")
@pytest.mark.parametrize("log", ["", "log"])
def test_results_of_ccache_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, log: str
) -> None:
    ninja = find_build_program("ninja")
    assert ninja is not None
    rule = "rule cc\n  command = ccache g++ -c $in -o $out\n"
    (tmp_path / "build.ninja").write_text(f"{rule}build a.o: cc a.cpp\nbuild b.o: cc b.cpp\n")
    (tmp_path / "a.cpp").write_text("int a;\n")
    (tmp_path / "b.cpp").write_text("int b;\n")
    monkeypatch.setenv("CCACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("CCACHE_STATSLOG", raising=False)
    if log:  # the user's own file
        monkeypatch.setenv("CCACHE_STATSLOG", str(tmp_path / log))
    reporter = Reporter()

    run_ninja(NinjaRun(ninja=ninja, directory=tmp_path), BuildOutput(reporter))
    for name in ("a.o", "b.o"):
        (tmp_path / name).unlink()
    (tmp_path / "b.cpp").write_text("int c;\n")
    run_ninja(NinjaRun(ninja=ninja, directory=tmp_path), BuildOutput(reporter))

    cached = "" if log else "; 1 compiler call came from ccache"
    assert reporter.lines == ["ran 2 steps", f"ran 2 steps{cached}"]
    assert not log or "direct_cache_hit" in (tmp_path / log).read_text()


@pytest.mark.parametrize(
    ("version", "left"), [("1.11.1", None), ("1.12.0", 62.5), ("1.13.2.git.kitware", 62.5)]
)
def test_remaining_time_is_read_if_ninja_predicts_it(
    directory: Path, version: str, left: float | None
) -> None:
    ninja = directory / "ninja"
    # This script acts as that version, which might not support %E.
    ninja.write_text(
        f"""#!/bin/sh
[ "$1" = --version ] && echo {version} && exit
status=$(echo "$NINJA_STATUS" | sed 's/%f/1/; s/%t/3/; s/%E/62.500/')
echo "${{status}}Compiling 2 of k"
"""
    )
    ninja.chmod(0o755)
    reporter = Reporter()

    run_ninja(NinjaRun(ninja=ninja, directory=directory), BuildOutput(reporter))

    assert reporter.steps == [
        BuildStep(finished=1, total=3, seconds_left=left, description="Compiling 2 of k")
    ]
    assert reporter.lines == ["ran 1 step"]


def test_damaged_build_file_is_reported_with_the_fix(directory: Path) -> None:
    ninja = find_build_program("ninja")
    assert ninja is not None
    (directory / "build.ninja").write_text("rule copy\nbuild one\n")

    with pytest.raises(ToolError, match=r"build\.ninja:2: .*; run kbuild clean to remove"):
        run_ninja(NinjaRun(ninja=ninja, directory=directory), BuildOutput(Reporter()))


def test_step_that_fails_is_named_if_its_tool_says_nothing(directory: Path) -> None:
    ninja = find_build_program("ninja")
    assert ninja is not None
    (directory / "build.ninja").write_text(RULES.replace("cp $in $out", "false"))
    reporter = Reporter()

    with pytest.raises(BuildError, match=r"^this step failed: 7 Copying one$"):
        run_ninja(NinjaRun(ninja=ninja, directory=directory), BuildOutput(reporter))

    assert reporter.lines == []
