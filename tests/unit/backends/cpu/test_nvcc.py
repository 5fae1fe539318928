"""The CPU does with nvcc's options what the reference says."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu.nvcc import quote_options, translate_options
from kbuild.nvcc.command_line.options import SECTIONS, Option

_DEVICE_OPTIONS = [
    option
    for section in SECTIONS.values()
    for option in section
    if option.receiver in ("device", "both")
]


def spell(option: Option) -> str:
    """Return the option with a value, as the reader of command lines spells it."""
    value = option.choices[0] if option.choices else "1"
    return option.short[0] if option.kind == "none" else f"{option.short[0]}={value}"


@pytest.mark.parametrize("option", _DEVICE_OPTIONS, ids=lambda option: option.name)
def test_options_without_an_effect_are_left_out(option: Option) -> None:
    assert bool(translate_options((spell(option),))) == (option.on_cpu is None)


def test_options_are_spelled_for_the_compiler() -> None:
    options = ("-G", "-fmad=false", "-Xptxas=-v", "-Werror=conversion,reorder", "-w")

    assert translate_options(options) == (
        *("-O0", "-g", "-D__CUDACC_DEBUG__", "-ffp-contract=off", "-Werror=reorder", "-w"),
    )


def test_macros_are_passed_on() -> None:
    assert quote_options(("-DA=1,2",)) == ("-DA=1,2",)
