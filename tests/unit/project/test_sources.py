"""Patterns that make no sense, and files that build tools cannot be told of."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.sources import find_sources


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", "'' names no file"),
        (".", "'.' names no file"),
        ("a\0.cu", "names no file"),
        ("src/**.cu", "'**' stands for folders, and cannot be a part of '**.cu'"),
        ("src/***/x.cu", "cannot be a part of '***'"),
        ("none/*.cu", "no source matches 'none/*.cu'"),
    ],
)
def test_patterns_without_sense(tmp_path: Path, pattern: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_sources(tmp_path, "FILE: [target.t].sources", (pattern,))

    assert str(caught.value).startswith("FILE: [target.t].sources: ")
    assert expected in str(caught.value)


def test_files_are_checked_not_patterns(tmp_path: Path) -> None:
    (tmp_path / "a;b").mkdir()
    (tmp_path / "a;b" / "k.cu").touch()
    (tmp_path / "plain.cu").touch()

    (found,) = find_sources(tmp_path, "sources", ("*.cu",))
    with pytest.raises(ConfigurationError, match=r"a;b/k\.cu: build tools do not take ';'"):
        find_sources(tmp_path, "sources", ("**/*.cu",))

    assert found.files == (tmp_path / "plain.cu",)
