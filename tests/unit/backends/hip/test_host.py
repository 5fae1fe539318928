from __future__ import annotations

import pytest

from kbuild.backends.hip.host import CONVENTIONS


@pytest.mark.parametrize(
    ("name", "major"),
    [
        ("onnxruntime_rocm57-1.0", "5"),
        ("jax_rocm60_plugin-0.5.0", "6"),
        ("k-1.0+rocm7.0", "7"),
        # The runtime of ROCm 10 has the number 7 (jax-rocm10-pjrt 0.12.0).
        ("jax_rocm10_pjrt-0.12.0", None),
        ("k-1.0", None),
    ],
)
def test_names_of_wheels_say_which_runtime_they_need(name: str, major: str | None) -> None:
    assert CONVENTIONS.claim is not None
    match = CONVENTIONS.claim.search(name)
    assert (match and match[1]) == major
