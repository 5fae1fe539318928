"""Write the name of kbuild's repository into the pages that mention it.

Pages say ``OWNER/kbuild`` until a release knows where it is published. The release job calls this
script with the name of its repository, such as ``octocat/kbuild``.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PLACEHOLDER: Final = "OWNER/kbuild"
_PAGES: Final = ("README.md", "docs/**/*.md", "examples/ci/*")
_NAME: Final = re.compile(r"[\w.-]+/[\w.-]+")


def list_pages(root: Path = ROOT) -> Iterator[tuple[Path, int]]:
    """Yield the pages with the placeholder, and how often each of them contains it."""
    for pattern in _PAGES:
        for page in sorted(root.glob(pattern)):
            count = page.read_text(encoding="utf-8").count(PLACEHOLDER)
            if count:
                yield page, count


def name_repository(name: str, root: Path = ROOT) -> None:
    """Replace the placeholder in all pages."""
    for page, _ in list_pages(root):
        text = page.read_text(encoding="utf-8")
        page.write_text(text.replace(PLACEHOLDER, name), encoding="utf-8")


def main(words: list[str]) -> None:
    """Replace the placeholder with the name on the command line."""
    if len(words) != 1 or not _NAME.fullmatch(words[0]):
        sys.exit("name_repository.py: expected one name such as octocat/kbuild")
    name_repository(words[0])


if __name__ == "__main__":
    main(sys.argv[1:])
