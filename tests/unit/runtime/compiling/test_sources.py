"""Sources as programs name them."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.runtime.compiling.sources import read_source


def test_folders_and_empty_paths_are_no_sources(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="a folder; name a source file"):
        read_source(tmp_path)
    with pytest.raises(InputError, match=r"^an empty path; name a source file"):
        read_source("")
    with pytest.raises(InputError, match="no such file"):
        read_source(tmp_path / "k.cu")
