"""The completion scripts of shells."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from kbuild.cli.main import main


def write_script(shell: str, path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["completion", shell]) == 0
    path.write_text(capsys.readouterr().out)
    return path


@pytest.mark.parametrize(
    ("words", "expected", "other"),
    [
        ("ver", {"verify"}, "run"),
        ("", {"run", "verify", "doctor"}, "host-pass"),
        ("run --ba", {"--backend"}, "--arch"),
        ("verify --format ", {"sarif", "junit"}, "html"),
    ],
)
def test_bash_completes_commands_options_and_values(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    words: str,
    expected: set[str],
    other: str,
) -> None:
    script = write_script("bash", tmp_path / "kbuild", capsys)
    code = f"""
        source {script}
        COMP_WORDS=(kbuild {words.rpartition(" ")[0]} "{words.rpartition(" ")[2]}")
        COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        function=$(complete -p kbuild | sed 's/.*-F //; s/ .*//')
        $function kbuild "${{COMP_WORDS[COMP_CWORD]}}" "${{COMP_WORDS[COMP_CWORD - 1]}}"
        echo "${{COMPREPLY[@]}}"
    """

    done = subprocess.run(["bash", "-c", code], capture_output=True, text=True, check=True)

    found = set(done.stdout.split())
    assert expected <= found
    assert other not in found


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_scripts_of_other_shells_name_the_commands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], shell: str
) -> None:
    script = write_script(shell, tmp_path / "kbuild", capsys)

    assert "check artifacts against the rules and a policy" in script.read_text()
    if program := shutil.which(shell):
        subprocess.run([program, "-n", str(script)], check=True)
