"""Sources with one wrong token: no traceback, and an error of the compiler at a line of the source.

``python -m support.damaged_builds`` does the same with sources of other projects.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from support.commands import ROOT
from support.damaged_builds.judge import build_source
from support.source_edits import list_edits

EXAMPLES = ROOT / "examples"
SOURCES = sorted(EXAMPLES.rglob("*.cu"))
EDITS = 12  # of each source


def check_edits(source: Path, count: int, directory: Path) -> None:
    """Build damaged texts of a source."""
    path = directory / source.name
    faults = []
    for number, (text, edit) in enumerate(list_edits(source.read_text(), count, seed=count)):
        path.write_text(text)
        (directory / str(number)).mkdir()
        verdict = build_source(path, directory / str(number), (source.parent,))
        if verdict.fault:
            faults.append(f"{edit}: {verdict.fault}")
    assert not faults


def test_messages_about_damaged_sources_are_at_their_lines(tmp_path: Path) -> None:
    check_edits(EXAMPLES / "existing_source" / "main.cu", 2, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(EXAMPLES)))
def test_messages_about_more_damaged_sources(source: Path, tmp_path: Path) -> None:
    check_edits(source, EDITS, tmp_path)
