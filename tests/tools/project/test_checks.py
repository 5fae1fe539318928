"""What can be wrong with a manifest is found before CMake is started."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError, ToolchainError
from kbuild.project.configure import check_manifest
from support.tools.toolchains import require_backend

TARGET = '[target.t]\nsources = ["a.cu"]\n'


def write_manifest(folder: Path, text: str) -> Path:
    (folder / "a.cu").touch()
    path = folder / "kbuild.toml"
    path.write_text(TARGET + text)
    return path


@pytest.mark.parametrize(
    ("line", "key", "expected"),
    [
        ('backend = "opencl"', "backend", "unknown BACKEND 'opencl'"),
        ('architectures = ["sm_1"]', "architectures", "unknown architecture 'sm_1'"),
        ("device_standard = 18", "device_standard", "18 is none of 17, 20, 23, 26"),
        (
            'visibility = "public"',
            "visibility",
            "'public'; expected one of 'default', 'hidden'",
        ),
        (
            'runtime = "none"',
            "runtime",
            "expected one of 'shared', 'static', 'bundle'",
        ),
        ('runtime = "static"', "runtime", "a program that links a shared kernel library"),
        (
            'compression = "zip"',
            "compression",
            "'zip'; expected one of 'none', 'speed'",
        ),
        ('headers = ["none.h"]', "headers", "none.h: no such file"),
        ('include_directories = ["none"]', "include_directories", "none: no such folder"),
        ('include_directories = ["i;n"]', "include_directories", "take ';' in a path"),
    ],
)
def test_errors_name_file_and_key(tmp_path: Path, line: str, key: str, expected: str) -> None:
    path = write_manifest(tmp_path, line + "\n")

    with pytest.raises(ConfigurationError) as caught:
        check_manifest(path)

    message = str(caught.value)
    assert message.startswith(f"{path}: [target.t].{key}: ")
    assert expected in message
    assert len(message.splitlines()) == 1


def test_missing_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_manifest(tmp_path, 'host_compiler = "/no/such/g++"\n')

    with pytest.raises(ToolchainError, match="compiler /no/such/g\\+\\+ not found"):
        check_manifest(path)

    # Which compiler is in it, CMake alone can tell.
    monkeypatch.setenv("CMAKE_TOOLCHAIN_FILE", "some.cmake")
    check_manifest(path)


def test_compiler_with_arguments(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CXX", "g++ -m64")

    check_manifest(write_manifest(tmp_path, ""))


@pytest.mark.parametrize("name", ["a;b", 'a"b', "a${HOME}b", "a^b", "a[b"])
def test_folders_that_cmake_cannot_work_in(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    with pytest.raises(ConfigurationError, match="rename it"):
        check_manifest(write_manifest(folder, ""))

    path = write_manifest(tmp_path, "")
    with pytest.raises(ConfigurationError, match="the output folder"):
        check_manifest(path, folder)

    check_manifest(path, tmp_path / "plain")


def test_include_directories_that_a_shell_expands(tmp_path: Path) -> None:
    (tmp_path / "$(touch pwn)").mkdir()
    line = 'backend = "cuda"\ninclude_directories = ["$(touch pwn)"]\n'
    require_backend("cuda")

    with pytest.raises(ConfigurationError, match=r"include_directories: .* take '\$'"):
        check_manifest(write_manifest(tmp_path, line))
