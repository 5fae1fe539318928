"""`kbuild explain` and the reference page explain every rule of checks."""

from __future__ import annotations

import os

import pytest

from kbuild.check.explanations import find_example, find_report, read_explanation
from kbuild.check.rules import RULES, CheckRule
from kbuild.cli.main import main
from kbuild.report.check.explanation import render_markdown, render_text
from support.commands import ROOT

REFERENCE = ROOT / "docs" / "reference" / "check-rules.md"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: CheckRule) -> None:
    text = render_text((read_explanation(rule),))
    assert text.startswith(f"{rule.id} {rule.slug} ({rule.severity})\n")
    assert all(f"\n{heading}:\n" in text for heading in ("Why", "Report", "Fix"))
    assert f"{rule.severity} {rule.id} {rule.slug}" in read_explanation(rule).report


def test_every_example_has_a_rule() -> None:
    known = {path for rule in RULES for path in (find_example(rule), find_report(rule))}
    assert set(find_example(RULES[0]).parent.iterdir()) <= known


def test_lines_of_the_example_have_numbers() -> None:
    (rule,) = (rule for rule in RULES if rule.id == "KC201")
    assert "\n   3      tile[threadIdx.x] = threadIdx.x;\n" in render_text(
        (read_explanation(rule),)
    )


def test_reference_is_up_to_date() -> None:
    text = render_markdown(map(read_explanation, RULES))
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        REFERENCE.write_text(text, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == text


def test_command_explains_rules_of_both_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "kc205", "KB308"]) == 0
    output = capsys.readouterr().out
    assert "KC205 unordered-volatile (warning)\n" in output
    assert "\nKC201 " not in output
    assert output.startswith("KB308 ")


def test_unknown_rules_are_rejected(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "KC999"]) == 2
    assert "unknown rule 'KC999'" in capsys.readouterr().err
