"""The help of ``kbuild``, and systems on which it does not run."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kbuild.cli.main import main
from kbuild.cli.parsers import COMMANDS, list_public_commands


def test_help_has_each_command_in_a_group_but_not_those_of_builds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([]) == 2

    lines = capsys.readouterr().err.splitlines()
    words = [line.split()[0] for line in lines if line]
    internal = {name for name, (module, _) in COMMANDS.items() if module.startswith("edges.")}
    assert set(list_public_commands()) == set(COMMANDS) - internal
    assert set(words) & set(COMMANDS) == set(list_public_commands())
    assert {"build:", "look:", "run:", "check:"} <= set(words)


@pytest.mark.parametrize("system", ["win32", "darwin"])
def test_other_systems_are_an_error_of_one_line(system: str) -> None:
    code = f"import sys; sys.platform = {system!r}; import kbuild.cli.main"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert done.returncode == 3
    assert done.stderr.startswith(f"kbuild: error: kbuild does not run on {system}; ")
    assert done.stderr.count("\n") == 1


def test_unknown_option_names_the_nearest_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run", "a.cu", "--checks"])
    assert capsys.readouterr().err == (
        "kbuild run: error: unrecognized arguments: --checks; did you mean '--check'? (options of "
        "the host compiler follow -Xcompiler, the arguments of the program follow --; see kbuild "
        "run --help)\n"
    )
