"""The machines that compilers name."""

from __future__ import annotations

import os

import pytest

from kbuild.backends.triples import read_machine


@pytest.mark.parametrize(
    "triple", ["aarch64-linux-gnu\n", "aarch64-redhat-linux", "aarch64-none-linux-gnu"]
)
def test_triple_names_the_machine(monkeypatch: pytest.MonkeyPatch, triple: str) -> None:
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("", "", "", "", "x86_64")))
    assert read_machine(triple) == "aarch64"
    monkeypatch.setattr(os, "uname", lambda: os.uname_result(("", "", "", "", "aarch64")))
    assert read_machine(triple) is None


@pytest.mark.parametrize("text", ["", "g++ (GCC) 13.1.0", "usage: wrapper [-h]"])
def test_other_text_stands_for_this_machine(text: str) -> None:
    assert read_machine(text) is None
