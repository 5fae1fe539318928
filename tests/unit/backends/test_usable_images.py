"""Which images devices run, by the rules of their vendors."""

from __future__ import annotations

import pytest

from kbuild.backends import list_usable, name_devices


@pytest.mark.parametrize(
    ("device", "there", "usable"),
    [
        ("sm_86", ("sm_75", "sm_80", "sm_86", "sm_89", "sm_90"), ("sm_86", "sm_80")),
        ("sm_86", ("compute_75", "sm_80", "compute_80"), ("sm_80", "compute_80", "compute_75")),
        ("sm_80", ("sm_86", "compute_86"), ()),
        ("sm_90", ("sm_90a", "compute_90a"), ("sm_90a", "compute_90a")),
        ("sm_100", ("sm_90a", "compute_90a"), ()),
        ("sm_103", ("sm_100", "sm_100a", "sm_100f"), ("sm_100f", "sm_100")),
        ("sm_100", ("sm_103f", "compute_103f"), ()),
        ("sm_120", ("sm_100f", "compute_100f", "compute_100"), ("compute_100",)),
        # Images of Tegra and of other devices are not compatible; PTX is.
        ("sm_87", ("sm_80", "sm_86", "compute_80"), ("compute_80",)),
        ("sm_89", ("sm_87",), ()),
        ("gfx90a", ("gfx90a", "gfx908"), ("gfx90a",)),
        ("gfx90a", ("gfx90a:xnack+",), ()),
        ("gfx90a:xnack+", ("gfx90a:xnack+", "gfx90a:xnack-"), ("gfx90a:xnack+",)),
        ("gfx90a:xnack+", ("gfx90a",), ("gfx90a",)),
        ("gfx1031", ("gfx10-3-generic", "gfx1030"), ("gfx10-3-generic",)),
        ("x86-64-v3", ("x86-64", "x86-64-v3", "x86-64-v4"), ("x86-64-v3", "x86-64")),
        ("x86-64-v4", ("aarch64",), ()),
    ],
)
def test_devices_run_images(device: str, there: tuple[str, ...], usable: tuple[str, ...]) -> None:
    assert list_usable(device, there) == usable


@pytest.mark.parametrize("name", ["compute_90", "gfx9-generic", "new", ""])
def test_other_names_are_not_devices(name: str) -> None:
    assert list_usable(name, ("sm_90", name)) is None
    assert name_devices((name,)) == (name,)


def test_devices_have_the_spellings_of_architectures() -> None:
    assert name_devices(("86", "sm_90", "gfx90a:xnack-")) == ("sm_86", "sm_90", "gfx90a:xnack-")
