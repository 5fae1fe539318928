"""Properties that every format of `kbuild verify` has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings

from kbuild.report.verify import github, json, junit, markdown, sarif, text
from kbuild.verify.report import Report
from support.facts.build_reports import NASTY_REPORT, REPORTS

RENDERERS: dict[str, Callable[[Report], str]] = {
    module.__name__: module.render for module in (github, json, junit, markdown, sarif, text)
}


@pytest.mark.parametrize("name", RENDERERS)
def test_equal_reports_are_equal_texts(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = RENDERERS[name](NASTY_REPORT)
    monkeypatch.chdir(tmp_path)
    assert RENDERERS[name](NASTY_REPORT) == first
    assert str(Path(__file__).parent) not in first


@pytest.mark.parametrize("name", RENDERERS)
def test_text_ends_with_one_line_break(name: str) -> None:
    text_of_it = RENDERERS[name](NASTY_REPORT)
    assert text_of_it.endswith("\n")


@settings(deadline=None)
@given(REPORTS)
def test_any_text_can_be_written(report: Report) -> None:
    for render in RENDERERS.values():
        content = render(report).encode()
        assert b"\x1b" not in content
