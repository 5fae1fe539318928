"""Tests for the launches in the output of nvcc's front end."""

from __future__ import annotations

import pytest

from kbuild.backends.cuda.mixed.launches import find_launches
from kbuild.cxx.unit import Unit
from kbuild.errors import SourceError


@pytest.mark.parametrize("qualifier", ["", "::"])  # qualified in templates with dependent bases
def test_launches_are_found(qualifier: str) -> None:
    launch = f"({qualifier}__cudaPushCallConfiguration(1, N::size)) ? (void)0 : k< T::n, 2> (p, q)"
    text = f"void f() {{ {launch}; }}"
    (found,) = find_launches(Unit(text), "a.cu")

    assert text[found.start : found.end] == launch
    assert text[slice(*found.callee)] == "k< T::n, 2>"
    assert text[slice(*found.configuration)] == "1, N::size"
    assert text[slice(*found.arguments)] == "p, q"


def test_other_uses_of_a_configuration_are_errors() -> None:
    with pytest.raises(SourceError, match=r"a\.cu: cannot rewrite the launch"):
        list(
            find_launches(Unit("void f() { (__cudaPushCallConfiguration(1, 2)) ? 1 : 0; }"), "a.cu")
        )
