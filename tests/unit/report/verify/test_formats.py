"""Properties that every format of `kbuild verify` has."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings

from kbuild.report.verify import github, json, junit, markdown, sarif, text
from kbuild.verify.report import Instance, Report
from support.facts.build_reports import FINDING, NASTY_REPORT, REPORTS, make_report

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


@pytest.mark.parametrize("name", RENDERERS)
def test_finding_about_many_kernels_is_short(name: str) -> None:
    kernels = tuple(
        Instance(symbol=f"_Z5k{n:05}v", arch="sm_90", where=None) for n in range(50_000)
    )
    finding = replace(
        FINDING, message="no handle of k00000() and 49999 more", count=50_000, instances=kernels
    )
    content = RENDERERS[name](make_report(finding))
    assert len(content) < 10_000
    assert "k00010" not in content
    assert "50000" in content or "49999" in content


@settings(deadline=None)
@given(REPORTS)
def test_any_text_can_be_written(report: Report) -> None:
    for render in RENDERERS.values():
        content = render(report).encode()
        assert b"\x1b" not in content
