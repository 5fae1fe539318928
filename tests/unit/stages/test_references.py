"""Generated text equals the reference files in ``ref/``.

``KBUILD_UPDATE_GOLDEN=1 pytest tests/unit/stages`` writes the references again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild import __version__
from support.files.generated import GENERATED, project

REFERENCES = Path(__file__).parent / "ref"


def compare(name: str, content: bytes) -> None:
    content = content.replace(f"kbuild {__version__}".encode(), b"kbuild VERSION")
    reference = REFERENCES / f"{name}.ref"
    if os.environ.get("KBUILD_UPDATE_GOLDEN"):
        reference.parent.mkdir(exist_ok=True)
        reference.write_bytes(content)
    assert content.decode() == reference.read_text()


@pytest.mark.parametrize("name", GENERATED)
def test_generated_text_matches_its_reference(name: str) -> None:
    compare(name, GENERATED[name]())


def test_generated_project_matches_its_reference(tmp_path: Path) -> None:
    compare("project.cmake", project(tmp_path))
