from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from kbuild.report.markdown import escape
from kbuild.report.verify.markdown import render
from kbuild.verify.report import Report, RuleNote
from support.facts.build_reports import FINDING, NASTY_REPORT, REPORTS, TEXT, make_report

MARKDOWN = MarkdownIt("gfm-like", {"linkify": False})
LONG_NOTE = RuleNote(rule="KB103", reason="no device image" * 10)


def cells(text: str) -> list[list[str]]:
    """Return the rows of the tables, as a parser of GitHub's dialect reads them."""
    tokens = MARKDOWN.parse(text)
    rows: list[list[str]] = []
    for number, token in enumerate(tokens):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("td_open", "th_open"):
            rows[-1].append("".join(c.content for c in tokens[number + 1].children or ()))
    return rows


def test_summary() -> None:
    assert render(make_report(FINDING)).splitlines() == [
        "### kbuild verify",
        "",
        "FAILED\\: 1 error; 2 rules run, 1 skipped \\(nothing to check\\)",
        "",
        "| Severity | Rule | File | Count | Message | Fix |",
        "|---|---|---|---|---|---|",
        (
            "| error | KB101 missing\\-architecture | build/libdemo.so | 1 | no image "
            "| add \\`sm\\_90\\` |"
        ),
        "",
        "<details><summary>1 rule skipped</summary>",
        "",
        "- KB103: no device image",
        "",
        "</details>",
        "",
    ]


def test_without_findings_there_is_no_table() -> None:
    text = render(make_report(rules_errored=(RuleNote(rule="KB108", reason="oops"),)))
    assert "|" not in text
    assert "<details><summary>1 rule errored</summary>\n\n- KB108: oops\n" in text


def test_nasty_text_keeps_the_table() -> None:
    rows = cells(render(NASTY_REPORT))
    assert [len(row) for row in rows] == [6] * (1 + len(NASTY_REPORT.findings))


def test_summary_stays_below_the_limit_of_github() -> None:
    finding = replace(FINDING, message="x" * 5000)
    text = render(make_report(*[finding] * 5000, rules_skipped=(LONG_NOTE,) * 50_000))
    assert len(text.encode()) < 1 << 20
    assert "more." in text
    assert "- and " in text


@pytest.mark.parametrize("text", ["# a", "- a", "1) a", "a|b", "<b>", "&amp;", "@a", "http://a"])
def test_markup_is_shown_as_text(text: str) -> None:
    (paragraph, inline, _) = MARKDOWN.parse(escape(text))
    assert paragraph.type == "paragraph_open"
    assert "".join(child.content for child in inline.children or ()) == text


@given(TEXT)
def test_any_text_contains_no_markup(text: str) -> None:
    (inline,) = MARKDOWN.parseInline(escape(text).replace("\n", " "))
    kinds = {child.type for child in inline.children or ()}
    assert kinds <= {"text", "text_special"}


@given(REPORTS)
def test_any_report_is_a_table(report: Report) -> None:
    rows = cells(render(report))
    assert {len(row) for row in rows} <= {6}
    assert len(rows) == len(report.findings) + bool(report.findings)
