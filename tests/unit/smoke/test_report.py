from __future__ import annotations

import json
import re
from dataclasses import replace

from kbuild.report.smoke import render_json, render_text
from kbuild.smoke.report import SmokeReport, SmokeResult, Status


def make_report(*statuses: Status, device_count: int | None = 1) -> SmokeReport:
    results = tuple(
        SmokeResult(
            name="_Z1fi",
            kind="resolve",
            status=status,
            detail=None if status == "passed" else "why\nand \x1b how",
            seconds=0.5,
        )
        for status in statuses
    )
    return SmokeReport(path="libk.so", device_count=device_count, results=results)


def test_only_passed_is_ok() -> None:
    assert make_report("passed", "passed").ok
    assert not make_report("passed", "skipped").ok
    assert not make_report("passed", "skipped").is_skipped
    assert not make_report("skipped").ok
    assert make_report("skipped").is_skipped
    assert not make_report("failed").is_skipped


def test_text_shows_why() -> None:
    text = render_text(make_report("passed", "failed"))
    assert text == (
        "passed   resolve  f  (0.50 s)\n"
        "failed   resolve  f  (0.50 s)\n"
        "    why\n"
        "    and \\x1b how\n"
        "FAILED: libk.so: 1 failed, 1 passed; 1 device\n"
    )
    assert "SKIPPED: libk.so: 1 skipped; 0 devices\n" in render_text(
        make_report("skipped", device_count=0)
    )
    assert render_text(make_report("passed")).endswith("ok: libk.so: 1 passed; 1 device\n")


def test_reason_of_skips_is_shown_once() -> None:
    text = render_text(make_report("skipped", "skipped", "failed", "failed", device_count=0))
    assert text.count("    skipped: why\n") == 1
    assert text.count("\n    why\n") == 2


def test_long_names_are_shortened_and_colors_change_nothing() -> None:
    report = make_report("failed", "passed", "skipped")
    name = "_Z1kI" + "4long" * 30 + "EvT_"
    report = replace(report, results=tuple(replace(one, name=name) for one in report.results))
    assert "k<...>  (0.50 s)" in render_text(report)
    colored = render_text(report, has_colors=True)
    assert "\033[1;31mfailed \033[0m  resolve" in colored
    assert re.sub(r"\033\[[\d;]*m", "", colored) == render_text(report)


def test_json_is_the_contract() -> None:
    document = json.loads(render_json(make_report("failed", device_count=None)))
    assert document == {
        "schema": "kbuild.smoke/1",
        "path": "libk.so",
        "ok": False,
        "device_count": None,
        "results": [
            {
                "name": "_Z1fi",
                "kind": "resolve",
                "status": "failed",
                "detail": "why\nand \x1b how",
                "seconds": 0.5,
            }
        ],
    }
