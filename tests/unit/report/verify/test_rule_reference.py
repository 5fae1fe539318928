"""The committed reference of the rules. ``KBUILD_UPDATE_GOLDEN=1 pytest`` rewrites it."""

from __future__ import annotations

import os

from markdown_it import MarkdownIt

from kbuild.report.verify.rule_reference import format_prose, render
from kbuild.verify.catalog import RULES
from support.commands import ROOT

REFERENCE = ROOT / "docs" / "reference" / "rules.md"


def test_reference_is_up_to_date() -> None:
    text = render(RULES)
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        REFERENCE.write_text(text, encoding="utf-8")
    assert REFERENCE.read_text(encoding="utf-8") == text


def test_every_rule_has_a_heading() -> None:
    tokens = MarkdownIt().parse(render(RULES))
    headings = [
        tokens[number + 1].content
        for number, token in enumerate(tokens)
        if token.type == "heading_open" and token.tag == "h3"
    ]
    assert headings == [f"{rule.id} {rule.slug}" for rule in RULES]


def test_only_code_in_prose_is_marked() -> None:
    assert format_prose("`a_b<c>` is __not__ <b> *x*") == (
        "`a_b<c>` is \\_\\_not\\_\\_ \\<b\\> \\*x\\*"
    )
