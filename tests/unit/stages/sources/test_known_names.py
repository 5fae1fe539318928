"""Names in host code that demand no instance of a kernel."""

from __future__ import annotations

import pytest

from kbuild.stages.sources.known_names import is_known_name


@pytest.mark.parametrize(
    ("name", "is_known"),
    [
        (b"float4", True),
        (b"double4_32a", True),
        (b"ulonglong4_16a", True),
        (b"double5", False),
        (b"project_function", False),
    ],
)
def test_vector_types_are_known(name: bytes, is_known: bool) -> None:
    assert is_known_name(name) is is_known
