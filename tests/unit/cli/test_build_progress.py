"""Formatting the remaining time of a build."""

from __future__ import annotations

import pytest

from kbuild.cli.build_progress import format_duration


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(-3.0, "0:00:00"), (0.2, "0:00:01"), (59.9, "0:01:00"), (3_725.0, "1:02:05")],
)
def test_durations_are_rounded_up(seconds: float, expected: str) -> None:
    assert format_duration(seconds) == expected
