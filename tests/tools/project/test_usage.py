"""`kbuild config` for artifacts, backends, and names that are neither."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, InputError
from kbuild.project.usage import Usage, check_usage_file, describe_artifact, read_usage
from support.commands import run_kbuild


def test_quoted_words_of_a_pc_file_are_read(tmp_path: Path) -> None:
    path = tmp_path / "k.pc"
    path.write_text('Name: k\nCflags: -I"/a b" -DX=1\nLibs: -L"/c d" -l:libk.a\n')

    assert read_usage(path) == Usage(cflags=("-I/a b", "-DX=1"), libs=("-L/c d", "-l:libk.a"))


@pytest.mark.parametrize("kind", ["module", "executable"])
def test_what_cannot_be_linked_is_an_error(tmp_path: Path, kind: str) -> None:
    with pytest.raises(ConfigurationError, match=f"of kind '{kind}', which cannot be linked"):
        check_usage_file(tmp_path / "k", "k", kind)


def test_file_of_other_tools_is_an_error() -> None:
    with pytest.raises(InputError, match="no kernel target of kbuild"):
        describe_artifact(Path("/bin/sh"))


def test_backend_has_headers_and_a_runtime() -> None:
    result = run_kbuild("config", "--cflags", "--libs", "cpu")

    assert result.returncode == 0
    assert result.stdout.startswith("-I/")
    assert "-DKBUILD_BACKEND_CPU=1 -L/" in result.stdout
    assert "-l:libkbuild_cpu.so.1 -Wl,-rpath,/" in result.stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("cpu",), "nothing to print; add --cflags, --libs, or both"),
        (("--libs", "./nothing.so"), "nothing.so: No such file or directory"),
        (("--libs", "saxpi"), "no target 'saxpi'; did you mean 'saxpy'?"),
    ],
)
def test_bad_calls(tmp_path: Path, words: tuple[str, ...], message: str) -> None:
    (tmp_path / "a.cu").touch()
    (tmp_path / "kbuild.toml").write_text('[target.saxpy]\nsources = ["a.cu"]\n')

    result = run_kbuild("config", *words, cwd=tmp_path)

    assert result.returncode == 2
    assert message in result.stderr
