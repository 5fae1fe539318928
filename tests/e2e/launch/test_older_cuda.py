"""Programs for CUDA 11 and 12 on the CPU: `--cuda-version`."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import PROJECTS, run_kbuild

PROJECT = PROJECTS / "older_cuda"
RUN = ("run", "--backend", "cpu", "-O", "1")


@pytest.mark.parametrize(
    "options",
    [(), pytest.param(("--rdc",), marks=pytest.mark.slow)],
)
def test_texture_references(options: tuple[str, ...]) -> None:
    sources = (PROJECT / "textures.cu", PROJECT / "other_source.cu")
    done = run_kbuild(*RUN, *options, "--cuda-version", "11", *sources)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_unbound_reference_is_an_error_of_the_kernel() -> None:
    done = run_kbuild(*RUN, "--cuda-version", "11", PROJECT / "unbound.cu")
    assert (done.returncode, done.stdout) == (0, "cudaErrorAssert\n")
    assert "Assertion `memory is bound to the texture reference` failed" in done.stderr


@pytest.mark.parametrize("version", [pytest.param("11", marks=pytest.mark.slow), "12"])
def test_functions(version: str) -> None:
    done = run_kbuild(*RUN, "--cuda-version", version, PROJECT / "functions.cu")
    assert done.returncode == 0, done.stderr


def test_hints_name_the_option(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("texture<float> reference;\nint main() { cudaThreadSynchronize(); }\n")
    newer = run_kbuild(*RUN, source)
    older = run_kbuild(*RUN, "--cuda-version", "12", source)

    assert newer.stderr.count("or use --cuda-version 11, which has these names") == 1
    assert older.stderr.count("or use --cuda-version 11, which has this name") == 1


def test_other_backends_have_one_version(tmp_path: Path) -> None:
    source = tmp_path / "a.cu"
    source.write_text("int main() {}\n")
    done = run_kbuild("run", "--backend", "cuda", "--cuda-version", "12", source)

    assert done.returncode == 2
    assert (
        "--cuda-version 12: the compiler of backend cuda decides the version of CUDA; remove the "
        "option, or use --backend cpu" in done.stderr
    )


def test_nvcc_has_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KBUILD_BACKEND", "cpu")
    done = run_kbuild("nvcc", "--cuda-version=11", "--version")
    toolkit = run_kbuild("nvcc", "--cuda-version=12", "--toolkit")
    unknown = run_kbuild("nvcc", "--cuda-version", "10", "--version")
    driver = Path(toolkit.stdout.strip()) / "bin" / "nvcc"

    assert "release 11.8, V11.8.0" in done.stdout
    assert "KBUILD_CUDA_VERSION=12" in driver.read_text()
    assert unknown.returncode == 2
    assert "--cuda-version is '10'; expected one of 11, 12, 13" in unknown.stderr
