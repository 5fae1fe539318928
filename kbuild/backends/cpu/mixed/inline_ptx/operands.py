"""How operands of PTX are spelled, and what they are in calls."""

from __future__ import annotations

from typing import Final

NAMESPACE: Final = "::kbuild_cpu::ptx::"
PARAMETER: Final = "__operand_{}"
PLACE: Final = r"%\d+"
NUMBER: Final = r"(?:0x[\da-fA-F]+|\d+)"
VALUE: Final = rf"(?:{PLACE}|{NUMBER})"
VECTOR: Final = rf"(?:{PLACE}|\{{ ?{PLACE}(?: ?, ?{PLACE})* ?\}})"


def name_operand(place: str) -> str:
    """Return the parameter of a call for the place of an operand, such as ``%1``."""
    return PARAMETER.format(place[1:])
