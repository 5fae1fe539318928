"""The table of options is complete and consistent."""

from __future__ import annotations

import re

import pytest

from kbuild.nvcc.command_line.options import OPTIONS, SECTIONS, Option, Outcome

EVERY = [option for section in SECTIONS.values() for option in section]


def test_names_are_unique() -> None:
    assert len(OPTIONS) == sum(len(option.names) for option in EVERY)


@pytest.mark.parametrize("option", EVERY, ids=lambda option: option.name)
def test_rows_are_complete(option: Option) -> None:
    assert option.name.startswith("--")
    assert all(re.fullmatch(r"-[^-].*", name) for name in option.short)
    assert re.fullmatch(r"[A-Z].*\.", option.meaning)
    assert set(option.choices) <= {"true", "false"} or option.kind != "boolean"
    assert option.quoting == "names" or option.kind == "list"
    if option.is_joined:
        assert option.kind in ("list", "number")
        assert [len(name) for name in option.short] == [2]


@pytest.mark.parametrize("option", EVERY, ids=lambda option: option.name)
def test_outcomes_are_explained(option: Option) -> None:
    for outcome in filter(None, (option.outcome, option.on_cpu)):
        assert outcome.effect == "same" or outcome.note, "say why, or what to do"
        if outcome.effect != "same":  # a part of a sentence, in messages and in the reference
            assert not outcome.note.endswith(".")
    assert option.receiver is None or option.outcome.effect == "same"
    assert option.on_cpu != Outcome()
