"""A compiler that cannot compile and link counts as missing, and one that can is tried once."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cpu import build as cpu
from kbuild.backends.interface.toolchain import ToolchainHints
from kbuild.errors import ToolchainError
from kbuild.model import Command
from kbuild.toolchain.doctor import diagnose
from kbuild.toolchain.find import find_toolchain
from kbuild.toolchain.trial import find_defect

# Prints its version, and counts all other calls in a file. They fail unless its directory contains
# the linker.
COMPILER = """\
#!/bin/sh
case "$1" in --version | -dumpmachine | -print-prog*) echo 'g++ (GCC) 14.2.1'; exit ;; esac
echo "$PWD" >> '{directory}/calls'
[ -e '{directory}/ld' ] || {{ echo 'cannot find ld' >&2; exit 1; }}
"""


@pytest.fixture
def compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A compiler without a linker, on the only directory of PATH, and an empty cache."""
    directory = tmp_path / "bin"
    directory.mkdir()
    path = directory / "g++"
    path.write_text(COMPILER.format(directory=tmp_path))
    path.chmod(0o755)
    monkeypatch.setenv("PATH", f"{directory}:/usr/bin:/bin")
    monkeypatch.setenv("CXX", str(path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return path


def count_trials(compiler: Path) -> int:
    return len((compiler.parents[1] / "calls").read_text().splitlines())


def test_compiler_without_a_linker_is_an_error(compiler: Path) -> None:
    with pytest.raises(ToolchainError) as caught:
        find_toolchain(cpu, ToolchainHints(host_compiler=str(compiler)))

    first, *rest = str(caught.value).splitlines()
    assert first.startswith(
        f"backend cpu: {compiler} cannot compile and link a program of one line; install its linker"
    )
    assert rest == ["cannot find ld"]
    assert caught.value.exit_code == 3


def test_doctor_reports_the_defect(compiler: Path) -> None:
    (cpu_toolchain,) = (each for each in diagnose().toolchains if each.backend == "cpu")

    assert cpu_toolchain.compiler is None
    assert f"{compiler} cannot compile and link" in (cpu_toolchain.problem or "")


def test_success_is_remembered_and_a_defect_is_not(compiler: Path) -> None:
    command = Command(argv=(str(compiler), "-shared"))

    assert find_defect(command) == "cannot find ld"
    assert find_defect(command) == "cannot find ld"
    (compiler.parents[1] / "ld").touch()
    assert find_defect(command) == ""
    assert find_defect(command) == ""

    assert count_trials(compiler) == 3


def test_trial_is_repeated_after_an_installation(
    compiler: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (compiler.parents[1] / "ld").touch()
    command = Command(argv=(str(compiler), "-shared"))

    assert find_defect(command) == ""
    (compiler.parent / "ld.lld").touch()
    assert find_defect(command) == ""
    monkeypatch.setenv("LIBRARY_PATH", "/nowhere")
    assert find_defect(command) == ""
    assert find_defect(Command(argv=(str(compiler), "-static"))) == ""

    assert count_trials(compiler) == 4


def test_trial_without_a_cache(compiler: Path) -> None:
    (compiler.parents[1] / "ld").touch()
    (compiler.parents[1] / "cache").write_text("not a directory")

    assert find_defect(Command(argv=(str(compiler), "-shared"))) == ""
    assert count_trials(compiler) == 1


def test_trial_leaves_no_files(compiler: Path) -> None:
    find_defect(Command(argv=(str(compiler), "-shared")))

    (directory,) = (compiler.parents[1] / "calls").read_text().splitlines()
    assert not Path(directory).exists()
