from __future__ import annotations

from dataclasses import replace

import pytest

from kbuild.report.verify.text import render, render_rule
from kbuild.verify import select_rules, verify
from kbuild.verify.catalog import RULES
from kbuild.verify.report import Finding, Report, RuleNote
from kbuild.verify.rule import Rule
from support.facts.build_facts import sound_facts

FACTS = sound_facts()


def test_findings_and_summary() -> None:
    finding = Finding(
        rule="KB101",
        slug="missing-architecture",
        severity="error",
        path="libdemo.so",
        symbol=None,
        arch="sm_90",
        message="no image",
        fix="add one",
    )
    report = Report(
        findings=(
            finding,
            replace(finding, rule="KB109", slug="corrupt-image", fix="rebuild"),
            replace(finding, severity="warning"),
            replace(finding, path="b.so", message="two\nlines\x1b"),
        ),
        rules_run=("KB101", "KB109"),
        rules_skipped=(
            RuleNote(rule="KB103", reason="no device image"),
            RuleNote(rule="KB502", reason="no library"),
            RuleNote(rule="KB601", reason="no device image"),
        ),
        rules_errored=(RuleNote(rule="KB108", reason="libdemo.so: KeyError: 1"),),
    )
    assert render(report).splitlines() == [
        "libdemo.so",
        "  error KB101 missing-architecture: no image",
        "  warning KB101 missing-architecture: no image",
        "    fix: add one",
        "  error KB109 corrupt-image: no image",
        "    fix: rebuild",
        "b.so",
        "  error KB101 missing-architecture: two",
        "    lines\\x1b",
        "    fix: add one",
        "errored  KB108: libdemo.so: KeyError: 1",
        "skipped  KB103, KB601: no device image",
        "skipped  KB502: no library",
        "FAILED: 3 errors, 1 warning; 2 rules run, 3 skipped, 1 errored",
    ]


def test_sound_report_is_one_line() -> None:
    rules = select_rules(["KB103", "KB108", "KB109"])
    assert render(verify((FACTS,), rules=rules)) == f"ok: no findings; {len(rules)} rules run\n"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: Rule) -> None:
    text = render_rule(rule)
    assert text.startswith(f"{rule.id} {rule.slug} ({rule.severity})\n")
    assert all(f"\n{heading}:\n" in text for heading in ("Why", "Fix", "Source"))
    assert max(map(len, text.splitlines())) <= 88
