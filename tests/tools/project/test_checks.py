"""Checking manifests before anything is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.cli.main import main
from kbuild.errors import ConfigurationError
from kbuild.project.manifest.checks import check_manifest
from kbuild.project.manifest.read import read_manifest

TARGET = '[target.t]\nsources = ["a.cu"]\n'


def write_manifest(directory: Path, text: str) -> Path:
    (directory / "a.cu").touch()
    path = directory / "kbuild.toml"
    path.write_text(TARGET + text)
    return path


def check(path: Path, output: Path | None = None) -> None:
    check_manifest(read_manifest(path), output or path.parent / "build")


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ('backend = "opencl"', "backend", "'opencl'"),
        ("device_standard = 18", "device_standard", "expected one of 17, 20, 23, 26"),
        ('visibility = "public"', "visibility", "'public'"),
        ('runtime = "none"', "runtime", "'none'"),
        ('compression = "zip"', "compression", "'zip'"),
        ('headers = ["none.h"]', "headers", "none.h: no such file"),
        ('include_directories = ["none"]', "include_directories", "none: no such directory"),
        ('policy = "none.toml"', "policy", "none.toml: no such file"),
        ('include_directories = ["i;n"]', "include_directories", "';'"),
    ],
)
def test_errors_name_file_and_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], line: str, key: str, expected: str
) -> None:
    path = write_manifest(tmp_path, line + "\n")

    assert main(["build", "-f", str(path)]) == 2

    message = capsys.readouterr().err
    assert message.startswith(f"kbuild: error: {path}: [target.t].{key}: ")
    assert expected in message
    assert len(message.splitlines()) == 1


@pytest.mark.parametrize("name", ["a;b", 'a"b', "a${HOME}b", "a^b", "a[b"])
def test_directories_that_cmake_cannot_work_in_are_rejected(tmp_path: Path, name: str) -> None:
    directory = tmp_path / name
    directory.mkdir()
    with pytest.raises(ConfigurationError, match="rename it"):
        check(write_manifest(directory, ""))

    path = write_manifest(tmp_path, "")
    with pytest.raises(ConfigurationError, match="the output directory"):
        check(path, directory)

    check(path, tmp_path / "plain")


PROGRAM = '[target.p]\nkind = "executable"\nsources = ["p.cpp"]\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (PROGRAM, "[target.p].sources: expected at least one .cu or .hip file"),
        (
            PROGRAM + 'link_libraries = ["m"]\n',
            "[target.p].sources: expected at least one .cu or .hip file",
        ),
        (
            PROGRAM + 'link_libraries = ["m", "t"]\ncompile_options = ["-O3"]\n',
            "[target.p].compile_options: the target has no .cu or .hip file; remove the key",
        ),
        (PROGRAM + 'link_libraries = ["m", "t"]\nhost_options = ["-O3"]\n', ""),
    ],
)
def test_program_without_kernel_sources_links_another_target(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str, expected: str
) -> None:
    (tmp_path / "p.cpp").touch()
    path = write_manifest(tmp_path, text)

    if not expected:
        check(path)
        return
    assert main(["build", "-f", str(path)]) == 2
    assert capsys.readouterr().err == f"kbuild: error: {path}: {expected}\n"
