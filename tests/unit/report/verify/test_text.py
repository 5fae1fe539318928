"""The text of `kbuild verify`. ``KBUILD_UPDATE_GOLDEN=1 pytest`` rewrites the references."""

from __future__ import annotations

import datetime as dt
import os
import re
from dataclasses import replace
from pathlib import Path

import pytest

from kbuild.report.verify.text import render, render_rule
from kbuild.verify import select_rules, verify
from kbuild.verify.catalog import RULES
from kbuild.verify.policy.model import Waiver
from kbuild.verify.report import Finding, Report, RuleNote, WaivedFinding
from kbuild.verify.rule import Rule
from support.facts.build_facts import sound_facts

REFERENCES = Path(__file__).parent / "ref"
FACTS = sound_facts()
FINDING = Finding(
    rule="KB101",
    slug="missing-architecture",
    severity="error",
    path="libdemo.so",
    symbol=None,
    arch="sm_90",
    message="no image",
    fix="Add an architecture, such as `90-virtual`, in addition to those that the target "
    "already has, or remove it from the policy.",
)
KERNEL = (
    "void lib::_V_300200_SM_800::scan<{}, lib::_V_300200_SM_800::Agent<{}, "
    "lib::_V_300200_SM_800::Policy<128, 16> > >({}*, lib::_V_300200_SM_800::Agent<{}>)"
)
NAMES = [KERNEL.replace("{}", kind) for kind in ("float", "double")]
EXPORTED = replace(
    FINDING,
    rule="KB406",
    slug="exported-identity",
    severity="info",
    message=f"the library exports {', '.join(NAMES)} and 398 more",
    fix="Compile with `-fvisibility=hidden`.",
    count=400,
)
REPORT = Report(
    findings=(
        FINDING,
        replace(FINDING, rule="KB109", slug="corrupt-image", fix="Rebuild."),
        replace(FINDING, severity="warning", message=f"no image of {NAMES[0]}"),
        EXPORTED,
        replace(FINDING, path="b.so", message="two\nlines\x1b"),
        replace(EXPORTED, path="b.so", message=f"the library exports {NAMES[0]}"),
    ),
    rules_run=("KB101", "KB109", "KB406"),
    rules_skipped=(
        RuleNote(rule="KB103", reason="no device image"),
        RuleNote(rule="KB406", reason="b.so: stripped"),
        RuleNote(rule="KB502", reason="no library"),
        RuleNote(rule="KB601", reason="no device image"),
    ),
    rules_errored=(RuleNote(rule="KB108", reason="libdemo.so: KeyError: 1"),),
    rules_unjudged=("KB406",),
    waived=(
        WaivedFinding(
            finding=replace(EXPORTED, path="c.so"),
            waiver=Waiver(rule="KB406", reason="a plugin", expires=dt.date(2030, 1, 2)),
        ),
    ),
)


@pytest.mark.parametrize(
    ("name", "is_verbose", "has_colors"),
    [("text", False, False), ("verbose", True, False), ("colors", False, True)],
)
def test_text_matches_its_reference(name: str, is_verbose: bool, has_colors: bool) -> None:
    text = render(REPORT, is_verbose=is_verbose, has_colors=has_colors)
    reference = REFERENCES / f"{name}.ref"
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        reference.parent.mkdir(exist_ok=True)
        reference.write_text(text, encoding="utf-8")
    assert text == reference.read_text(encoding="utf-8")


def test_colors_do_not_change_the_text() -> None:
    colored = render(REPORT, has_colors=True)
    assert re.sub(r"\033\[[\d;]*m", "", colored) == render(REPORT)


def test_sound_report_is_one_line() -> None:
    rules = select_rules(["KB103", "KB108", "KB109"])
    assert render(verify((FACTS,), rules=rules)) == f"ok: no findings; {len(rules)} rules checked\n"


def test_rules_that_do_not_apply_are_listed_on_request() -> None:
    report = Report(
        findings=(),
        rules_run=("KB101",),
        rules_skipped=(RuleNote(rule="KB103", reason="no device image"),),
        rules_errored=(),
    )
    assert render(report) == "ok: no findings; 1 rule checked\n"
    assert render(report, is_verbose=True).splitlines() == [
        "skipped  KB103: no device image",
        "ok: no findings; 1 rule checked",
    ]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_every_rule_is_explained(rule: Rule) -> None:
    text = render_rule(rule)
    assert text.startswith(f"{rule.id} {rule.slug} ({rule.severity})\n")
    assert all(f"\n{heading}:\n" in text for heading in ("Why", "Fix", "Source"))
    assert max(map(len, text.splitlines())) <= 88
