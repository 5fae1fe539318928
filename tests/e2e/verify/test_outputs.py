"""The formats of `kbuild verify` on real artifacts, through the command line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from support.commands import find_kbuild
from support.kernel_libraries import BuildKernelLibrary

FORMATS = ("text", "json", "sarif", "junit", "github")
WHEEL = "fill-1.0-py3-none-linux_x86_64.whl"
SOURCES = {
    "fill.cu": "namespace ns { __global__ void fill(float* out, int n) { out[n] = 1; } }\n",
    "sum.cu": "__global__ void sum(const float* in, float* out) { *out += *in; }\n",
}


@pytest.fixture(scope="module")
def project(
    tmp_path_factory: pytest.TempPathFactory, build_kernel_library: BuildKernelLibrary
) -> Path:
    """Return a directory with a library, a wheel that contains it, and a policy it violates."""
    directory = tmp_path_factory.mktemp("project")
    library = build_kernel_library(SOURCES, target="fill")
    shutil.copy(library, directory / "libfill.so")
    with zipfile.ZipFile(directory / WHEEL, "w") as wheel:
        wheel.write(library, "fill/lib/libfill.so")
        wheel.writestr("fill-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
    (directory / "policy.toml").write_text('required_architectures = ["sm_90"]\n')
    return directory


def verify(
    directory: Path, *words: object, code: int = 1, summary: Path | None = None
) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "GITHUB_STEP_SUMMARY": str(summary or "")}
    done = subprocess.run(
        [str(word) for word in (find_kbuild(), "verify", *words)],
        cwd=directory,
        env=environment,
        capture_output=True,
        check=False,
    )
    assert done.returncode == code, done.stderr
    assert b"Traceback" not in done.stderr
    return done


def render(directory: Path, style: str, *paths: object) -> bytes:
    return verify(directory, *paths, "--policy", "policy.toml", "--format", style).stdout


def results(content: bytes) -> list[Any]:
    (run,) = json.loads(content)["runs"]
    return list(run["results"])


def marks(content: bytes) -> list[str]:
    return [result["partialFingerprints"]["kbuildFinding/v1"] for result in results(content)]


@pytest.mark.parametrize("style", FORMATS)
def test_output_does_not_depend_on_the_working_directory(
    project: Path, tmp_path: Path, style: str
) -> None:
    paths = ("libfill.so", WHEEL)
    first = render(project, style, *paths)
    assert first == render(project, style, *paths)
    moved = shutil.copytree(project, tmp_path / "moved")
    assert render(moved, style, *paths) == first
    assert str(project).encode() not in first


def test_text_has_one_paragraph_per_file_and_each_fix_once(project: Path) -> None:
    lines = render(project, "text", "libfill.so", WHEEL).decode().splitlines()
    starts = [line[:13] for line in lines if not line.startswith("         ")]
    assert starts[:-1] == [
        "libfill.so",
        "  error KB101",
        "    fix: Add ",
        WHEEL[:13],
        "  error KB101",
    ]
    assert lines[-1].startswith("FAILED: 2 errors; ")


def test_sarif_names_the_wheel_and_its_member(project: Path) -> None:
    (result,) = results(render(project, "sarif", WHEEL))
    assert (result["ruleId"], result["occurrenceCount"]) == ("KB101", 2)
    (location,) = result["locations"]
    assert location["physicalLocation"]["artifactLocation"]["uri"] == WHEEL
    assert location["logicalLocations"][-1]["name"] == "fill/lib/libfill.so"


def test_fingerprints_do_not_depend_on_the_directory(project: Path) -> None:
    relative = marks(render(project, "sarif", "libfill.so"))
    (project / "below").mkdir()
    shutil.copy(project / "policy.toml", project / "below")
    for directory, path in (
        (project, project / "libfill.so"),
        (project, "./libfill.so"),
        (project / "below", "../libfill.so"),
    ):
        assert marks(render(directory, "sarif", path)) == relative
    assert len(relative) == 1


def test_junit_has_one_case_per_rule(project: Path) -> None:
    root = ET.fromstring(render(project, "junit", "libfill.so", WHEEL))  # noqa: S314 - our own
    assert [suite.get("name") for suite in root] == ["libfill.so", f"{WHEEL}!fill/lib/libfill.so"]
    explained = subprocess.run([find_kbuild(), "explain", "--all"], capture_output=True, check=True)
    rules = [line for line in explained.stdout.decode().splitlines() if line.startswith("KB")]
    for suite in root:
        names = [case.get("name") for case in suite]
        assert names == [rule.rpartition(" ")[0] for rule in rules]
        assert [case.get("name") for case in suite if case.find("failure") is not None] == [
            "KB101 missing-architecture"
        ]


def test_github_annotates_and_summarizes(project: Path, tmp_path: Path) -> None:
    summary = tmp_path / "summary.md"
    words = ("libfill.so", "--policy", "policy.toml", "--format", "github")
    lines = verify(project, *words, summary=summary).stdout.decode().splitlines()
    assert [line.split("::")[1] for line in lines[:-1]] == [
        "error file=libfill.so,title=KB101 missing-architecture"
    ]
    assert summary.read_text().count("| error | KB101") == 1


def test_bad_input_is_one_line_in_every_format(project: Path) -> None:
    (project / "bad.so").write_bytes(b"\x7fELF")
    for style in FORMATS:
        done = verify(project, "bad.so", "--format", style, code=2)
        assert done.stdout == b""
        assert len(done.stderr.splitlines()) == 1


def test_file_name_that_is_not_utf8(project: Path) -> None:
    name = os.fsencode(project) + b"/k\xff,\n:%.so"
    shutil.copy(os.fsencode(project / "libfill.so"), name)
    for style in FORMATS:
        content = render(project, style, os.fsdecode(os.path.basename(name)))  # noqa: PTH119
        content.decode()
        if style == "sarif":
            uri = results(content)[0]["locations"][0]["physicalLocation"]["artifactLocation"]
            assert uri["uri"] == "k%FF%2C%0A%3A%25.so"


def test_manifest_requires_device_code_of_a_wheel(project: Path, tmp_path: Path) -> None:
    (tmp_path / "host.c").write_text("int answer(void) { return 42; }\n")
    words = ("gcc", "-shared", "-fPIC", "host.c", "-o", "host.so")
    subprocess.run(words, cwd=tmp_path, check=True)
    host = "host-1.0-py3-none-linux_x86_64.whl"
    with zipfile.ZipFile(tmp_path / host, "w") as wheel:
        wheel.write(tmp_path / "host.so", "host/host.so")
    shutil.copy(project / WHEEL, tmp_path)
    with zipfile.ZipFile(tmp_path / WHEEL, "a") as wheel:
        wheel.write(tmp_path / "host.so", "fill/host.so")

    manifest = tmp_path / "kbuild.toml"
    manifest.write_text('[verify]\nrequired_architectures = ["x86-64"]\n')
    verify(tmp_path, WHEEL, code=0)
    found = verify(tmp_path, WHEEL, host).stdout
    assert b"there is no kernel in host-1.0-py3-none-linux_x86_64.whl" in found
    assert b"there is no kernel in fill" not in found
    manifest.write_text('[verify]\nrequired_kernels = ["ns::fill", "scan*"]\n')
    message = f"kernels that are not in {WHEEL}: 'scan*'"
    assert message.encode() in verify(tmp_path, WHEEL).stdout
