"""Links between pages, and what the README promises."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from markdown_it import MarkdownIt

from kbuild.verify.policy.file import read_policy

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[3]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *(ROOT / name for name in ("examples/README.md", "benchmarks/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
EXTERNAL = ("https://", "http://", "mailto:")
MOST_LINES = 150
SOURCE_SUFFIXES = (".py", ".h", ".hpp", ".c", ".cpp", ".cu", ".cmake", ".j2", ".md")


def list_links(page: Path) -> Iterator[str]:
    for token in MarkdownIt().enable("table").parse(page.read_text(encoding="utf-8")):
        for child in token.children or ():
            if child.type == "link_open":
                yield str(child.attrs["href"])


def list_anchors(page: Path) -> set[str]:
    text = page.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    slugs = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return slugs | set(re.findall(r"^\(([\w-]+)\)=$", text, re.MULTILINE))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for link in list_links(page):
        if link.startswith(EXTERNAL):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{link} in {page.name}"
        if anchor:
            assert anchor in list_anchors(target), f"{link} in {page.name}"


def test_source_refers_to_pages_that_exist() -> None:
    for name in ("kbuild", "cmake", "templates", "examples", "benchmarks"):
        for path in (ROOT / name).rglob("*"):
            if path.is_file() and path.suffix in SOURCE_SUFFIXES:
                text = path.read_text(encoding="utf-8")
                for page in re.findall(r"\bdocs/[\w/-]+\.md", text):
                    assert (ROOT / page).is_file(), f"{path.relative_to(ROOT)} refers to {page}"


def test_every_page_is_in_a_table_of_contents() -> None:
    listed = {ROOT / "docs" / "index.md"}
    for page in (ROOT / "docs").rglob("*.md"):
        for tree in re.findall(
            r"^```\{toctree\}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL
        ):
            listed |= {
                page.parent / f"{line.strip()}.md"
                for line in tree.splitlines()
                if line.strip() and not line.startswith(":")
            }
    assert set((ROOT / "docs").rglob("*.md")) == listed


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_policies_in_examples_are_valid(page: Path) -> None:
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and token.info == "toml":
            table = tomllib.loads(token.content).get("verify")
            if table is not None:
                read_policy(table, page.name)


def test_picture_of_the_terminal_is_complete() -> None:
    picture = ET.parse(ROOT / "docs" / "static" / "terminal.svg")  # noqa: S314 - our own
    texts = [element.text or "" for element in picture.iter("{http://www.w3.org/2000/svg}text")]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert {"kbuild run fill.cu", "0 0.5 1 1.5", "KC101 out-of-bounds"} <= set(texts)
    assert "](docs/static/terminal.svg)" in readme
    # It loads nothing, such as fonts.
    assert not any(
        name.endswith(("href", "src")) for e in picture.iter() for name in (e.tag, *e.attrib)
    )


def test_readme_is_short_and_has_the_test_command() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    assert "pip install '.[test]' && pytest -n auto" in text
    assert "pip install '.[demo]' && kbuild demo" in text
