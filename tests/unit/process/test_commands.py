"""Running tools: their results, and the messages of failures."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command
from kbuild.process import make_error, run, run_checked
from kbuild.values import replace


def python(code: str, **env: str) -> Command:
    return Command(argv=(sys.executable, "-c", code), env=tuple(env.items()))


def test_output_and_status_are_returned() -> None:
    result = run(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))

    assert (result.returncode, result.stdout, result.stderr) == (3, "out\n", "err\n")


def test_variables_are_added_to_the_environment() -> None:
    code = "import os; print(os.environ['KBUILD_TEST'], 'PATH' in os.environ)"

    assert run(python(code, KBUILD_TEST="x y")).stdout == "x y True\n"


def test_files_that_a_tool_leaves_are_removed() -> None:
    code = "import tempfile; print(tempfile.mkdtemp())"
    command = python(code)
    left, removed = (
        Path(run(each).stdout.strip()) for each in (command, replace(command, leaves_files=True))
    )

    assert left.is_dir()
    left.rmdir()
    assert not removed.parent.exists()


def test_failure_has_the_output_and_a_line_with_tool_and_status() -> None:
    command = python("import sys\nfor i in range(100): print(i, file=sys.stderr)\nsys.exit(1)")

    with pytest.raises(ToolError) as caught:
        run_checked(command)

    error = caught.value
    assert error.log.splitlines() == [str(number) for number in range(100)]
    assert error.message == f"{sys.executable} failed with exit status 1"
    assert str(error) == f"{error.log}\n{error.message}"
    assert error.command == command.argv
    assert error.exit_code == 4


def test_failure_by_a_signal_names_it() -> None:
    result = run(python("import os; os.kill(os.getpid(), 9)"))

    assert str(make_error(result)).endswith("was killed by signal 9")


def test_failure_ends_with_the_fix() -> None:
    result = run(python("raise SystemExit(2)"))

    error = make_error(result, context="building HEAD: ", fix="use another option")

    assert str(error) == (
        f"building HEAD: {sys.executable} failed with exit status 2; use another option"
    )


def test_missing_program_is_a_toolchain_error() -> None:
    with pytest.raises(ToolchainError, match="no-such-tool: not found"):
        run(Command(argv=("no-such-tool",)))


def test_file_that_is_not_executable_is_a_toolchain_error(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("")

    with pytest.raises(ToolchainError, match="make the file executable"):
        run(Command(argv=(str(tool),)))


def test_exceeded_time_limit_is_a_tool_error() -> None:
    with pytest.raises(ToolError, match="ran longer than"):
        run(python("import time; time.sleep(60)"), timeout=0.2)
