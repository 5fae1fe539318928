"""Names that no target can have."""

from __future__ import annotations

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.target_names import check_name, check_together


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("debug", "kbuild reserves the name: its folder is that of the debug profile"),
        ("run-kbuild", "kbuild reserves the name"),
        ("runtimes.cmake", "kbuild reserves the name"),
        ("all", "CMake can have no target of that name"),
        ("SOURCES", "CMake can have no target of that name"),
        ("a b", "CMake can have no target of that name"),
        ("", "CMake can have no target of that name"),
        ("n" * 121, "the name has 121 characters"),
    ],
)
def test_refused(name: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        check_name(name)


@pytest.mark.parametrize("name", ["t", "_t", "t-1.2+x", "Debug", "n" * 120])
def test_accepted(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "part", ["_all", "_headers", "_object", "_device_code", "_verified", "_editor"]
)
def test_parts_of_another_target(part: str) -> None:
    with pytest.raises(ConfigurationError, match=rf"\[target.t{part}\].*\[target.t\]"):
        check_together([f"t{part}", "t"])

    check_together([f"t{part}", "u"])
