"""What build tools receive from kbuild's environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.project.tools import _resolve_compilers


def test_relative_compilers_are_relative_to_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    values = {"CC": "gcc", "CXX": "./wrapper -m64", "CUDACXX": "/opt/nvcc", "HIPCXX": "bin/clang"}
    for name, value in values.items():
        monkeypatch.setenv(name, value)

    assert dict(_resolve_compilers()) == {
        "CXX": f"{tmp_path}/wrapper -m64",
        "HIPCXX": f"{tmp_path}/bin/clang",
    }
