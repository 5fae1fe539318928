"""Source patterns: invalid ones, and the files that they match."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import ConfigurationError
from kbuild.project.manifest.sources import find_sources, match_files


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("", "'' is not a file name or pattern"),
        (".", "'.' is not a file name or pattern"),
        ("a\0.cu", "is not a file name or pattern"),
        ("src/**.cu", "'**' matches directories and cannot be a part of '**.cu'"),
        ("src/***/x.cu", "cannot be a part of '***'"),
        ("none/*.cu", "no source matches 'none/*.cu'"),
        ("a/" * 1000 + "*.cu", "has 1001 parts; expected at most 100"),
        ("/" + "a" * 5000, "the path is too long; expected at most 4095 bytes"),
    ],
)
def test_invalid_patterns_are_rejected(tmp_path: Path, pattern: str, expected: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        find_sources(tmp_path, (pattern,))

    assert expected in str(caught.value)


def test_missing_source_names_the_nearest_file(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/saxpy.cu").touch()

    with pytest.raises(ConfigurationError, match=r"'src/sxapy\.cu' .* mean 'src/saxpy\.cu'\?"):
        find_sources(tmp_path, ("src/sxapy.cu",))


def test_only_matching_files_are_checked(tmp_path: Path) -> None:
    (tmp_path / "a;b").mkdir()
    (tmp_path / "a;b" / "k.cu").touch()
    (tmp_path / "plain.cu").touch()

    found = find_sources(tmp_path, ("*.cu",))
    with pytest.raises(ConfigurationError, match=r"a;b/k\.cu: build tools do not take ';'"):
        find_sources(tmp_path, ("**/*.cu",))

    assert found == (tmp_path / "plain.cu",)


def test_build_outputs_are_not_sources(tmp_path: Path) -> None:
    for name in ("k.cu", ".hidden.cu", "build/k.cu", "build/kbuild/target/k.cu"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()

    found = match_files(tmp_path, "**/*.cu")

    assert found == tuple(tmp_path / name for name in (".hidden.cu", "build/k.cu", "k.cu"))


def test_directories_are_not_sources(tmp_path: Path) -> None:
    (tmp_path / "src.cu").mkdir()
    (tmp_path / "src.cu" / "k.cu").touch()

    assert match_files(tmp_path, "**/*.cu") == (tmp_path / "src.cu" / "k.cu",)
    assert match_files(tmp_path, str(tmp_path / "src.cu")) == ()


def test_links_to_files_are_sources_and_dangling_links_are_not(tmp_path: Path) -> None:
    (tmp_path / "k.cu").touch()
    (tmp_path / "link.cu").symlink_to(tmp_path / "k.cu")
    (tmp_path / "dangling.cu").symlink_to(tmp_path / "none.cu")

    assert match_files(tmp_path, "*.cu") == (tmp_path / "k.cu", tmp_path / "link.cu")
