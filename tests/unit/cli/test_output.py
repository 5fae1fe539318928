"""When text has colors, and that colors change nothing else."""

from __future__ import annotations

import argparse
import io
import re
import sys
from pathlib import Path

import pytest

from kbuild.cli.commands import explain
from kbuild.cli.output import has_colors

VARIABLES = ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "TERM")
SEQUENCE = re.compile(r"\033\[[\d;]*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def make_arguments(color: str = "auto", output: Path | None = None) -> argparse.Namespace:
    return argparse.Namespace(color=color, output=output)


@pytest.fixture(autouse=True)
def environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("variables", "terminal", "other"),
    [
        ({}, True, False),
        ({"NO_COLOR": "1"}, False, False),
        ({"NO_COLOR": ""}, True, False),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "xterm"}, True, False),
        ({"FORCE_COLOR": "1"}, True, True),
        ({"FORCE_COLOR": "0"}, True, False),
        ({"CLICOLOR_FORCE": "1"}, True, True),
        ({"CLICOLOR_FORCE": ""}, True, False),
        ({"FORCE_COLOR": "1", "TERM": "dumb"}, True, True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False, False),
    ],
)
def test_environment_decides(
    variables: dict[str, str], terminal: bool, other: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colors(make_arguments(), Terminal()) is terminal
    assert has_colors(make_arguments(), io.StringIO()) is other


@pytest.mark.parametrize(("color", "expected"), [("always", True), ("never", False)])
def test_option_comes_first(color: str, expected: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR" if expected else "FORCE_COLOR", "1")
    assert has_colors(make_arguments(color), io.StringIO()) is expected


def test_file_has_no_colors_unless_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(sys, "stdout", Terminal())
    assert has_colors(make_arguments())
    assert not has_colors(make_arguments(output=Path("report")))
    assert has_colors(make_arguments("always", Path("report")))


def test_colors_do_not_change_the_text(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    def read(*words: str) -> str:
        parser = argparse.ArgumentParser()
        explain.add_arguments(parser)
        assert explain.run(parser.parse_args(words)) == 0
        return capsysbinary.readouterr().out.decode()

    plain = read("--all")
    colored = read("--all", "--color", "always")
    assert "\033" not in plain
    assert "\033[1;31merror" in colored
    assert SEQUENCE.sub("", colored) == plain
