"""Pages name kbuild's repository with one placeholder, which the release job replaces."""

from __future__ import annotations

import importlib.util
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]
SPEC = importlib.util.spec_from_file_location("names", ROOT / "scripts" / "name_repository.py")
assert SPEC
assert SPEC.loader
names: Any = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(names)
OTHER_SPELLINGS = re.compile(r"URL_OF_KBUILD|\bOWNER/(?!kbuild\b)|<owner>|YOUR_ORG", re.IGNORECASE)


def test_places_are_listed() -> None:
    assert {page.relative_to(ROOT).as_posix(): count for page, count in names.list_pages()} == {
        "docs/how-to/ci-without-gpu.md": 2,
        "docs/how-to/compare-builds.md": 1,
        "docs/how-to/verify-in-ci.md": 3,
    }


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))])
def test_there_is_no_other_placeholder(page: Path) -> None:
    assert not OTHER_SPELLINGS.findall(page.read_text(encoding="utf-8"))


def test_release_replaces_all(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs" / "how-to", tmp_path / "docs" / "how-to")
    names.name_repository("octocat/kbuild", tmp_path)
    assert list(names.list_pages(tmp_path)) == []
    page = tmp_path / "docs" / "how-to" / "verify-in-ci.md"
    assert "uses: octocat/kbuild@v" in page.read_text(encoding="utf-8")
    assert "name_repository.py" in (ROOT / ".github" / "workflows" / "release.yml").read_text()


@pytest.mark.parametrize("words", [[], ["kbuild"], ["a/b/c"], ["a/b", "c/d"]])
def test_other_arguments_are_errors(words: list[str]) -> None:
    with pytest.raises(SystemExit, match="expected one name"):
        names.main(words)
