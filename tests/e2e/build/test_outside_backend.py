"""Tests for a backend from outside of the package."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import kbuild
from kbuild import resources
from kbuild.backends import BACKENDS, find_backend
from support.commands import PROJECTS, run, succeed


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with the backend's runtime, and a kbuild that has the backend."""
    project = tmp_path_factory.mktemp("toy") / "project"
    shutil.copytree(PROJECTS / "toy_backend", project)
    include = resources.native_directory() / "include"
    compile_options = ["-x", "c", "-std=c11", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    files = [project / "toy_runtime.c", "-o", project / "libtoy.so"]
    succeed(run("g++", *compile_options, f"-I{include}", *map(str, files)))
    program = "import sys, toy_backend; from kbuild.cli.main import main; sys.exit(main())"
    script = f"PYTHONPATH={shlex.quote(str(project))} exec {sys.executable} -c '{program}' \"$@\""
    launcher = project / "kbuild-with-toy"
    launcher.write_text(f"#!/bin/sh\n{script}\n")
    launcher.chmod(0o755)
    build = str(project / "build")
    succeed(
        run(
            *("cmake", "-G", "Ninja", "-S", str(project), "-B", build),
            *(f"-Dkbuild_DIR={resources.cmake_directory()}", f"-DKBUILD_EXECUTABLE={launcher}"),
        )
    )
    succeed(run("cmake", "--build", build))
    return project


def ask(toy: Path, *words: str) -> Any:
    done = subprocess.run(
        [toy / "kbuild-with-toy", *words, "--format", "json"], capture_output=True, check=False
    )
    return json.loads(done.stdout)


def test_outside_kernels_run(toy: Path) -> None:
    x = np.arange(8, dtype=np.float32)
    with kbuild.load(toy / "build" / "libtoy_kernels.so") as kernels:
        kernels["scale"].launch(grid=1, block=8, args=(x, 6))
        kernels["negate"].launch(grid=2, block=4, args=(x, 8))
    assert x.tolist() == [0, -2.5, -5, -7.5, -10, -12.5, -6, -7]


def test_outside_artifact_passes_verification(toy: Path) -> None:
    report = ask(toy, "verify", str(toy / "build" / "libtoy_kernels.so"))
    assert (report["ok"], report["findings"]) == (True, [])
    assert "KB601" in str(
        report["rules_run"]
    )  # the rule that compares images and kernels with the note


def test_damage_to_the_outside_artifact_is_found(toy: Path, tmp_path: Path) -> None:
    content = (toy / "build" / "libtoy_kernels.so").read_bytes()
    damaged = tmp_path / "libtoy_kernels.so"
    damaged.write_bytes(content.replace(b"TOY1", b"TOY0"))
    report = ask(toy, "verify", str(damaged))
    assert report["ok"] is False


def test_outside_images_are_listed(toy: Path) -> None:
    report = ask(toy, "inspect", str(toy / "build" / "libtoy_kernels.so"))
    (artifact,) = report["artifacts"]
    (image,) = artifact["images"]
    assert (image["backend"], image["arch"]) == ("toy", "toy1")
    assert [kernel["name"] for kernel in image["kernels"]] == ["_Z5scalePfi", "_Z6negatePfi"]


def test_capabilities_that_a_backend_lacks_are_none() -> None:
    assert "toy" not in BACKENDS
    assert find_backend("toy").build is None
    assert find_backend("hip").rtc is None
    assert find_backend("offload").build is None
    assert find_backend("offload").read is not None
