"""Tests for what mangled names say about linkage."""

from __future__ import annotations

import pytest

from kbuild.demangle.linkage import drop_internal_mark, names_local_entity


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("_ZL2stPi", "_Z2stPi"),
        ("_ZN2nsL2stEPi", "_ZN2ns2stEPi"),
        ("_ZL3tstIiEvPT_", "_Z3tstIiEvPT_"),
        ("_Z4tmplILi4EEvPi", "_Z4tmplILi4EEvPi"),
        ("_Z3L2xPi", "_Z3L2xPi"),
        ("_Z4callIZL4mainvE5LocalEvT_Pi", "_Z4callIZL4mainvE5LocalEvT_Pi"),
        ("_ZN2nsL4callIZL4mainvE5LocalEvT_Pi", "_ZN2ns4callIZL4mainvE5LocalEvT_Pi"),
        ("k", "k"),
    ],
)
def test_names_without_the_mark_of_static_functions(symbol: str, expected: str) -> None:
    assert drop_internal_mark(symbol) == expected


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("_Z5applyIZ4mainE5LocalEvT_Pi", True),
        ("_Z1kIZ4mainEUliE0_EvT_", True),
        ("_ZN12_GLOBAL__N_12anEPi", True),
        ("_Z2tkIN12_GLOBAL__N_11AEEvPT_", True),
        ("_Z3tstIiEvPT_", False),
        ("_Z4tmplILi4EEvPi", False),
        ("_Z4ZMapI1ZEvT_S0_", False),
        ("_ZN1Z1ZIfEEvT_", False),
        ("_Z1kIXadL_ZL5twiceiEEEvPi", True),
        ("_Z1kIXadL_ZN2nsL5twiceEiEEEvPi", True),
        ("_Z1kIXadL_ZN12_GLOBAL__N_15twiceEiEEEvPi", True),
        ("_Z1kIXadL_ZN2ns5twiceEiEEEvPi", False),
        ("_Z1kIXadL_Z4quadIiET_S0_EEEvPi", False),
        ("k", False),
    ],
)
def test_local_entities_in_names(symbol: str, expected: bool) -> None:
    assert names_local_entity(symbol) == expected
