"""Two builds of a wheel from one checkout at the same time do not disturb each other."""

from __future__ import annotations

import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from support.checkout import QUICK_WHEEL, copy_checkout
from support.commands import pip

# Both builds compile while the other one configures, compiles, or installs.
RUNTIMES = {"kbuild/lib/libkbuild_cpu.so.1", "kbuild/lib/libkbuild_cpu.a"}


@pytest.mark.slow
def test_two_wheels_of_one_checkout_at_the_same_time(tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    copy_checkout(checkout)
    before = sorted(checkout.rglob("*"))
    words = (sys.executable, "wheel", checkout, "--no-deps", *QUICK_WHEEL, "--wheel-dir")

    with ThreadPoolExecutor() as pool:
        list(pool.map(partial(pip, *words), (tmp_path / "a", tmp_path / "b")))

    for directory in (tmp_path / "a", tmp_path / "b"):
        (wheel,) = directory.glob("*.whl")
        assert set(zipfile.ZipFile(wheel).namelist()) >= RUNTIMES
    assert sorted(checkout.rglob("*")) == before
