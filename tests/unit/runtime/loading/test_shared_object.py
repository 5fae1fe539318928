from __future__ import annotations

import os
from pathlib import Path

import pytest

from kbuild.errors import InputError
from kbuild.runtime.loading.shared_object import read_shared_object


def test_pipes_are_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(InputError, match=r"pipe is not a file; "):
        read_shared_object(tmp_path / "pipe")
