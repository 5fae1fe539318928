"""Run the steps of the composite action as GitHub does: with `bash -eo pipefail`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

import kbuild
from support.commands import ROOT, find_kbuild
from support.kernel_libraries import BuildKernelLibrary

ACTION: Any = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
# The only programs that the steps can use. Compilers and CMake are not among them.
PROGRAMS = ("bash", "mktemp", "tee")


class Job:
    """A workspace with an artifact, and the files that the runner provides."""

    def __init__(self, directory: Path, action: Path = ROOT) -> None:
        self.action = action
        self.workspace, self.bin, self.temp = (directory / n for n in ("work space", "bin", "temp"))
        for path in (self.workspace, self.bin, self.temp):
            path.mkdir()
        for name in PROGRAMS:
            (self.bin / name).symlink_to(shutil.which(name) or name)
        (self.bin / "python3").symlink_to(Path(sys.base_prefix, "bin", "python3").resolve())
        self.output, self.summary = directory / "output", directory / "summary"

    def run(self, name: str, **inputs: str) -> subprocess.CompletedProcess[str]:
        step = STEPS[name]
        script = self.temp / "step.sh"
        script.write_text(step["run"])
        self.output.write_text("")
        self.summary.write_text("")
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
            cwd=self.workspace,
            env={
                **kept,
                "PATH": str(self.bin),
                "RUNNER_TEMP": str(self.temp),
                "GITHUB_ACTION_PATH": str(self.action),
                "GITHUB_OUTPUT": str(self.output),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                **{k: substitute(v, inputs) for k, v in step["env"].items()},
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def report(self) -> str:
        """Return the content of the file that the step names as its report."""
        name, _, path = self.output.read_text().strip().partition("=")
        assert name == "report"
        return Path(path).read_text()


def substitute(value: str, inputs: Mapping[str, str]) -> str:
    def read(match: re.Match[str]) -> str:
        declared = ACTION["inputs"][match[1]]
        return inputs[match[1]] if match[1] in inputs else str(declared["default"])

    return re.sub(r"\$\{\{ inputs\.(\w+) \}\}", read, value)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory, build_kernel_library: BuildKernelLibrary) -> Job:
    job = Job(tmp_path_factory.mktemp("job"))
    source = "__global__ void fill(float* out) { *out = 1; }\n"
    library = build_kernel_library({"fill.cu": source}, target="fill")
    (job.workspace / "out put").mkdir()
    shutil.copy(library, job.workspace / "out put" / "libfill.so")
    (job.workspace / "strict policy.toml").write_text('required_architectures = ["sm_90"]\n')
    # A slow test runs the step that installs the command.
    programs = job.temp / "kbuild" / "bin"
    programs.mkdir(parents=True)
    (programs / "kbuild").symlink_to(find_kbuild())
    return job


def test_sound_artifact_passes(job: Job) -> None:
    done = job.run("Verify", paths="out*/*.so\n\n", format="text")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("ok: ")
    assert "ok: " in job.report()
    assert "### kbuild verify" in job.summary.read_text()


@pytest.mark.parametrize(
    ("style", "start"),
    [
        ("sarif", '{\n  "$schema"'),
        ("json", '{\n  "schema"'),
        ("junit", "<?xml"),
        ("text", "out put/libfill.so\n  error KB101"),
        ("github", "::error file=out put/libfill.so,title=KB101"),
    ],
)
def test_errors_fail_the_step_and_are_annotated(job: Job, style: str, start: str) -> None:
    done = job.run("Verify", paths="out put/libfill.so", policy="strict policy.toml", format=style)
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error file=out put/libfill.so,title=KB101")
    assert "KB101" in job.summary.read_text()
    report = job.report()
    assert report.startswith(start)
    if style == "junit":
        assert ET.fromstring(report).get("failures") == "1"  # noqa: S314 - our own


def test_arguments_are_split_into_words_and_never_executed(job: Job) -> None:
    done = job.run(
        "Verify", paths="out put/libfill.so", policy="strict policy.toml", args="--ignore  KB101 -q"
    )
    assert (done.returncode, done.stdout) == (0, "")
    for inputs in ({"paths": "$(touch x)`touch x`"}, {"paths": "-x; touch x"}):
        assert job.run("Verify", **inputs).returncode == 2
    assert not (job.workspace / "x").exists()


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"paths": "absent/*.so"}, "absent/*.so"),
        ({"paths": ""}, "PATH"),
        ({"paths": "out put/libfill.so", "format": "html"}, "'html'"),
        ({"paths": "out put/libfill.so", "policy": "absent.toml"}, "absent.toml"),
    ],
)
def test_invalid_input_prints_one_message(job: Job, inputs: dict[str, str], message: str) -> None:
    done = job.run("Verify", **inputs)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_action_is_installed_from_the_archive_of_a_tag(tmp_path: Path) -> None:
    """GitHub downloads an action as an archive of its tag, without the repository."""
    archive, action = tmp_path / "tag.tar", tmp_path / "action"
    subprocess.run(["git", "-C", ROOT, "archive", "-o", archive, "HEAD"], check=True)
    action.mkdir()
    subprocess.run(["tar", "-xf", archive, "-C", action], check=True)
    job = Job(tmp_path, action)
    (job.workspace / "text.so").write_text("no library")

    assert job.run("Install kbuild").returncode == 0
    done = job.run("Verify", paths="text.so")

    assert done.returncode == 2
    assert "text.so" in done.stderr
    version = subprocess.run(
        [job.temp / "kbuild/bin/kbuild", "--version"], capture_output=True, text=True, check=True
    )
    assert kbuild.__version__ in version.stdout


def test_every_input_is_used_and_described() -> None:
    used = {name for step in STEPS.values() for value in step["env"].values()
            for name in re.findall(r"inputs\.(\w+)", value)}  # fmt: skip
    assert used == set(ACTION["inputs"])
    assert all(declared["description"] for declared in ACTION["inputs"].values())
    assert not any("${{" in step["run"] for step in STEPS.values())
