"""The example for build systems other than CMake builds, and its programs run."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from support.commands import KBUILD, ROOT, run, run_kbuild, succeed
from support.tools.toolchains import needs_programs

pytestmark = pytest.mark.slow
ENVIRONMENT = ("env", f"PATH={KBUILD.parent}:/usr/local/bin:/usr/bin:/bin")
SUM = "11 22 33\n"


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example with built kernels."""
    directory = tmp_path_factory.mktemp("systems") / "example"
    shutil.copytree(ROOT / "examples" / "build_systems", directory)
    built = run_kbuild("build", cwd=directory)
    assert built.returncode == 0, built.stderr
    return directory


@needs_programs("make")
def test_make(example: Path) -> None:
    succeed(run(*ENVIRONMENT, "make", cwd=example))

    assert succeed(run(example / "program")) == SUM
    assert succeed(run(example / "scale")) == "0.5 1 1.5\n"


@needs_programs("meson", "pkg-config")
def test_meson(example: Path) -> None:
    packages = f"PKG_CONFIG_PATH={example}/build/kbuild/vector_kernels"

    succeed(run(*ENVIRONMENT, packages, "meson", "setup", "build/meson", cwd=example))
    succeed(run(*ENVIRONMENT, "meson", "compile", "-C", "build/meson", cwd=example))

    assert succeed(run(example / "build" / "meson" / "program")) == SUM


def test_setuptools(example: Path) -> None:
    pytest.importorskip("setuptools", reason="setuptools is not installed")

    succeed(run(*ENVIRONMENT, sys.executable, "setup.py", "build_ext", "--inplace", cwd=example))

    script = "import vectors; print(vectors.add(1, 2))"
    assert succeed(run(sys.executable, "-c", script, cwd=example)) == "3.0\n"
