"""The error of a compiler: what it printed comes first, and its command only on request."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.cli.main import main


@pytest.mark.parametrize(("option", "variable"), [("-O1", ""), ("-v", ""), ("-O1", "1")])
def test_message_of_the_compiler_comes_first(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    option: str,
    variable: str,
) -> None:
    monkeypatch.setenv("VERBOSE", variable)
    source = tmp_path / "a.cpp"
    source.write_text("int x = missing;\n")
    output = str(tmp_path / "a.o")

    assert main(["nvcc", "--backend", "cpu", option, "-c", str(source), "-o", output]) == 4

    *messages, last = capsys.readouterr().err.splitlines()
    if option != "-v":
        assert messages[0].startswith(f"{source}:1:9: error: ")
    start, _, end = last.partition("failed with exit status 1")
    assert start.startswith("kbuild: error: /")
    has_command = option == "-v" or variable
    assert end.startswith(": /" if has_command else " (VERBOSE=1 shows its command)")
