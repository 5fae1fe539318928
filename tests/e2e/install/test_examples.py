"""Every example builds, passes verification and smoke tests, and runs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from support.commands import GENERATORS, ROOT, build, configure, ctest, run, run_kbuild, succeed
from support.tools.toolchains import needs_programs

PROJECTS = sorted(path.parent for path in (ROOT / "examples").glob("*/CMakeLists.txt"))
# pip builds the Python extension; see test_python_ext.py.
EXAMPLES = [path.name for path in PROJECTS if not (path / "pyproject.toml").is_file()]
# The demo builds saxpy, a tutorial existing_source, and test_bindings.py the Fortran program.
MARKS: dict[str, tuple[pytest.MarkDecorator, ...]] = {
    **dict.fromkeys(
        ("saxpy", "existing_source", "compiled_kernel", "multi_arch", "docker"), (pytest.mark.slow,)
    ),
    "fortran_host": (pytest.mark.slow, needs_programs("gfortran")),
}


def test_examples_are_found() -> None:
    assert {"existing_source", "saxpy", "c_host", "multi_arch"} <= set(EXAMPLES)


@pytest.mark.parametrize("generator", GENERATORS)
@pytest.mark.parametrize(
    "example", [pytest.param(name, marks=MARKS.get(name, ())) for name in EXAMPLES]
)
def test_example(tmp_path: Path, example: str, generator: str) -> None:
    succeed(configure(ROOT / "examples" / example, tmp_path, generator=generator))
    succeed(build(tmp_path))

    assert "100% tests passed" in succeed(ctest(tmp_path))


def test_demo_leaves_a_project_that_runs(tmp_path: Path) -> None:
    directory = tmp_path / "kept"

    result = run_kbuild("demo", "--keep", directory)

    assert result.returncode == 0, result.stderr
    assert str(directory / "build" / "libsaxpy_kernels.so") in result.stdout
    succeed(run(directory / "build" / "saxpy"))
    for step in ("build", "verify", "smoke", "run"):
        assert step in result.stdout


def test_demo_rejects_a_directory_with_files(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")

    result = run_kbuild("demo", "--keep", tmp_path)

    assert result.returncode == 2
    assert "not an empty directory" in result.stderr
    assert list(tmp_path.iterdir()) == [tmp_path / "mine"]


# test_standalone.py builds another project with a debug profile.
@pytest.mark.slow
@pytest.mark.parametrize("profile", ["release", pytest.param("debug", marks=pytest.mark.slow)])
def test_example_without_cmake(tmp_path: Path, profile: str) -> None:
    project = tmp_path / "project"
    shutil.copytree(
        ROOT / "examples" / "standalone",
        project,
        ignore=shutil.ignore_patterns("build"),
    )

    built = run_kbuild("build", "--profile", profile, cwd=project)

    assert built.returncode == 0, built.stderr
    smoke = run_kbuild("smoke", built.stdout.strip())
    assert smoke.returncode == 0, smoke.stdout + smoke.stderr


@pytest.mark.slow  # tests/e2e/build/test_standalone.py
def test_standalone_build(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "c_host" / "vector.cu", tmp_path)
    manifest = tmp_path / "kbuild.toml"
    manifest.write_text(
        '[target.vectors]\nsources = ["*.cu"]\n'
        '[target.archive]\nkind = "static"\nsources = ["vector.cu"]\narchitectures = ["x86-64"]\n'
        '[target.loose]\nkind = "object"\nsources = ["vector.cu"]\narchitectures = ["x86-64"]\n'
        '[verify]\nrequired_architectures = ["x86-64"]\n'
    )

    first = run_kbuild("build", cwd=tmp_path)
    second = run_kbuild("build", "vectors", cwd=tmp_path)

    assert first.returncode == 0, first.stderr
    output = tmp_path / "build" / "kbuild"
    for artifact in ("vectors/libvectors.so", "archive/libarchive.a", "loose/loose.o"):
        assert (output / artifact).is_file()
        assert run_kbuild("verify", output / artifact).returncode == 0
    assert "nothing to do" in second.stderr
    assert second.stdout.split() == [str(output / "vectors" / "libvectors.so")]
    assert run_kbuild("clean", cwd=tmp_path).returncode == 0
    assert not output.exists()


@pytest.mark.slow
def test_standalone_build_fails_on_the_policy(tmp_path: Path) -> None:
    shutil.copy(ROOT / "examples" / "c_host" / "vector.cu", tmp_path)
    (tmp_path / "kbuild.toml").write_text(
        '[target.vectors]\nsources = ["vector.cu"]\narchitectures = ["x86-64"]\n'
        '[verify]\nrequired_architectures = ["x86-64-v4"]\n'
    )

    result = run_kbuild("build", cwd=tmp_path)

    assert result.returncode == 1
    assert "KB101" in result.stderr
    assert (tmp_path / "build/kbuild/vectors/libvectors.so").is_file()
