"""Running tools: what comes back, and what a failure says."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from kbuild.errors import ToolchainError, ToolError
from kbuild.model import Command
from kbuild.process import describe_failure, run, run_checked


def python(code: str, **env: str) -> Command:
    return Command(argv=(sys.executable, "-c", code), env=tuple(env.items()))


def test_output_and_status_come_back() -> None:
    result = run(python("import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"))

    assert (result.returncode, result.stdout, result.stderr) == (3, "out\n", "err\n")


def test_environment_is_added_to() -> None:
    code = "import os; print(os.environ['KBUILD_TEST'], 'PATH' in os.environ)"

    assert run(python(code, KBUILD_TEST="x y")).stdout == "x y True\n"


def test_failure_shows_argv_status_and_the_tail_of_stderr() -> None:
    command = python("import sys\nfor i in range(100): print(i, file=sys.stderr)\nsys.exit(1)")

    with pytest.raises(ToolError) as caught:
        run_checked(command)

    lines = str(caught.value).splitlines()
    assert "failed with exit status 1" in lines[0]
    assert "[60 lines before this one]" in lines
    assert lines[-1] == "99"
    assert caught.value.exit_code == 4


def test_signal_is_named() -> None:
    result = run(python("import os; os.kill(os.getpid(), 9)"))

    assert "was killed by signal 9" in describe_failure(result)


def test_missing_program_is_a_toolchain_error() -> None:
    with pytest.raises(ToolchainError, match="no-such-tool: not found"):
        run(Command(argv=("no-such-tool",)))


def test_file_that_may_not_be_executed(tmp_path: Path) -> None:
    tool = tmp_path / "tool"
    tool.write_text("")

    with pytest.raises(ToolchainError, match="may not be executed"):
        run(Command(argv=(str(tool),)))


def test_time_limit() -> None:
    with pytest.raises(ToolError, match="ran longer than"):
        run(python("import time; time.sleep(60)"), timeout=0.2)
