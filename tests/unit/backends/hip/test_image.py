"""The linkage of HIP kernels, which code objects show only in the names of kernels."""

from __future__ import annotations

import pytest

from kbuild.backends.hip.image import read_image
from support.files.amd_builders import CodeObjectBuilder, kernel_metadata


@pytest.mark.parametrize(
    ("symbol", "linkage"),
    [
        ("plain", "external"),
        ("_ZN2ns5scaleEPffi", "external"),
        ("_Z4copyIfEvPKT_PS0_", "weak"),
        ("_ZN2ns4copyIfEEvPKT_PS1_", "weak"),
        ("_ZN3BoxIiE3runEPi", "weak"),
        # A template in a parameter type does not make the kernel an instance.
        ("_Z4move3BoxIiE", "external"),
        ("_ZL3ownPi", "internal"),
        ("_ZL4copyIfEvPKT_PS0_", "internal"),
        ("_Z3ownPi.intern.fc2072b98fadf05b", "internal"),
    ],
)
def test_linkage_matches_the_source(symbol: str, linkage: str) -> None:
    builder = CodeObjectBuilder()
    builder.metadata(kernel_metadata(symbol))
    builder.kernel(symbol)

    (kernel,) = read_image(builder.build()).kernels

    assert kernel.linkage == linkage
