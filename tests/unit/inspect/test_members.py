from __future__ import annotations

import pytest

from kbuild.inspect.members import is_artifact

_ZIP = b"PK\3\4"


@pytest.mark.parametrize(
    ("name", "front", "expected"),
    [
        ("k/data.npz", _ZIP, False),  # arrays of NumPy
        ("k/guide.docx", b"PK\5\6", False),
        ("k/inner-1.0-py3-none-any.whl", _ZIP, True),
        ("k/_k.so", b"\x7fELF", True),
        ("libk.a", b"!<arch>\n", True),
        ("k.whl", b"text", False),
    ],
)
def test_zip_archives_are_artifacts_if_they_are_wheels(
    name: str, front: bytes, *, expected: bool
) -> None:
    assert is_artifact(name, front) is expected
