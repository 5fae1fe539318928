from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.runtime.compiling.inputs import read_source


def test_directories_and_empty_paths_are_rejected(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a directory; name a source file"):
        read_source(tmp_path)
    with pytest.raises(InputError, match=r"^the path of the source is empty; name a source file"):
        read_source("")
    with pytest.raises(InputError, match="no such file"):
        read_source(tmp_path / "k.cu")
