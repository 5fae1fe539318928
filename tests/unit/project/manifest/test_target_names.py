"""Names that targets cannot have."""

from __future__ import annotations

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.manifest.target_names import check_conflicts, check_name


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("debug", "kbuild reserves the name: the debug profile uses the directory"),
        ("run-kbuild", "kbuild reserves the name"),
        ("runtimes.cmake", "kbuild reserves the name"),
        ("all", "CMake does not allow a target of that name"),
        ("SOURCES", "CMake does not allow a target of that name"),
        ("a b", "CMake does not allow a target of that name"),
        ("", "CMake does not allow a target of that name"),
        ("n" * 121, "the name has 121 characters"),
    ],
)
def test_reserved_and_invalid_names_are_rejected(name: str, reason: str) -> None:
    with pytest.raises(ConfigurationError, match=reason):
        check_name(name)


@pytest.mark.parametrize("name", ["t", "_t", "t-1.2+x", "Debug", "n" * 120])
def test_valid_names_are_accepted(name: str) -> None:
    check_name(name)


@pytest.mark.parametrize(
    "part", ["_all", "_headers", "_object", "_device_code", "_verified", "_editor"]
)
def test_name_of_another_targets_part_is_rejected(part: str) -> None:
    with pytest.raises(ConfigurationError, match=r"for a part of \[target.t\]") as caught:
        check_conflicts([f"t{part}", "t"])

    assert caught.value.target == f"t{part}"

    check_conflicts([f"t{part}", "u"])
