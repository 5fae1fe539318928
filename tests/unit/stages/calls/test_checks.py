"""Tests for checking calls that create no edges."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.stages.calls.checks import check_call
from support.calls import make_record


@pytest.mark.parametrize(
    ("function", "words", "expected"),
    [
        ("kbuild_verify", (), "name at least one target"),
        ("kbuild_verify", ("t", "no"), "target no does not exist"),
        ("kbuild_verify", ("POLCY", "t"), "target POLCY does not exist; did you mean 'POLICY'?"),
        ("kbuild_verify", ("t", "POLICY"), "POLICY needs a value"),
        ("kbuild_verify", ("t", "POLICY", "none"), "POLICY: {0}/none: no such file"),
        ("kbuild_add_smoke_test", ("t", "CASE", "a.py"), "unknown argument 'CASE'; did you mean"),
        ("kbuild_add_smoke_test", ("t", "CASES", "a.py"), "CASES: {0}/a.py: no such file"),
        (
            *("kbuild_add_smoke_test", ("t", "SCHEDULES", "0")),
            "SCHEDULES: expected a number from 1 to 1000, not '0'",
        ),
        ("kbuild_add_verify_test", ("no",), "target no does not exist"),
    ],
)
def test_wrong_call_is_rejected(
    tmp_path: Path, function: str, words: tuple[str, ...], expected: str
) -> None:
    record = make_record(tmp_path, function, *words, known="t")

    with pytest.raises(ConfigurationError) as caught:
        check_call(record)

    assert str(caught.value).startswith(expected.format(tmp_path))


def test_correct_call_is_accepted(tmp_path: Path) -> None:
    check_call(make_record(tmp_path, "kbuild_verify", "t", "u", "POLICY", "a.cu", known=("t", "u")))
