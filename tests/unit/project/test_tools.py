"""What build tools receive from kbuild's environment, and what their errors say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kbuild.errors import BuildError
from kbuild.model import Command
from kbuild.project.tools import _resolve_compilers, find_build_tools, run_tool


@pytest.fixture
def scripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the first directory of PATH, in which CMake and ninja are scripts."""
    directory = tmp_path / "bin"
    directory.mkdir()
    for name in ("cmake", "ninja"):
        (directory / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", str(directory))
    return directory


def test_script_of_a_wheel_is_skipped(
    scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "site-packages" / "cmake" / "data" / "bin" / "cmake"
    program.parent.mkdir(parents=True)
    program.touch(mode=0o755)
    paths = {"scripts": str(scripts), "platlib": str(tmp_path / "site-packages")}
    monkeypatch.setattr("sysconfig.get_path", paths.get)

    assert find_build_tools().cmake == program
    program.unlink()
    assert find_build_tools().cmake == scripts / "cmake"


def test_cmake_of_another_environment_stays(scripts: Path) -> None:
    assert find_build_tools().cmake == scripts / "cmake"


def test_relative_compilers_are_relative_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = {"CC": "gcc", "CXX": "./wrapper -m64", "CUDACXX": "/opt/nvcc", "HIPCXX": "bin/clang"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)

    assert dict(_resolve_compilers()) == {
        "CXX": f"{tmp_path}/wrapper -m64",
        "HIPCXX": f"{tmp_path}/bin/clang",
    }


@pytest.mark.parametrize(
    ("keyword", "message", "key", "expected"),
    [
        ("PRIVATE", "PRIVATE: a;b.cu: rename it", "sources", "a;b.cu: rename it"),
        ("ARCHITECTURES", "unknown architecture", "architectures", "unknown architecture"),
        (None, "add CXX to LANGUAGES", None, "add CXX to LANGUAGES"),
    ],
)
def test_error_of_a_plan_has_a_key_instead_of_a_keyword(
    tmp_path: Path, keyword: str | None, message: str, key: str | None, expected: str
) -> None:
    failure = f"Failure(exit_code=2, message={message!r}, setting={keyword!r}, target='t')"
    code = f"from kbuild.process import *; leave_failure({failure}); raise SystemExit(1)"
    command = Command(argv=(sys.executable, "-c", code))

    with pytest.raises(BuildError) as raised:
        run_tool(command, tmp_path)

    error = raised.value
    assert (error.target, error.setting, str(error)) == ("t", key, expected)
    assert error.exit_code == 2


def test_message_of_a_kbuild_command_is_reported_once(tmp_path: Path) -> None:
    failure = "Failure(exit_code=4, message='g++ failed')"
    code = f"from kbuild.process import *; leave_failure({failure}); raise SystemExit(1)"

    with pytest.raises(BuildError) as raised:
        run_tool(Command(argv=(sys.executable, "-c", code)), tmp_path)

    assert (str(raised.value), raised.value.is_reported) == ("g++ failed", True)
