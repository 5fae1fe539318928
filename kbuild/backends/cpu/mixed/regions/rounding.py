"""Whether a value that is computed again can differ, because it is rounded in another way.

Compilers contract products and sums of floating-point numbers to one operation with one rounding,
or not, depending on what else a region computes. The same expression in another region can have
another value then, although a variable has only one.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.cpu.mixed.regions.grammar.constants import FLOATING, is_floating_constant
from kbuild.backends.cpu.mixed.regions.grammar.expressions import Span, is_literal
from kbuild.backends.cpu.mixed.regions.grammar.mentions import list_names
from kbuild.backends.cpu.mixed.regions.uses import Uses
from kbuild.backends.cpu.mixed.regions.variables import Variable, is_deduced
from kbuild.cxx.unit import Unit

_ROUNDING: Final = ("+", "-", "*", "/")
_INTEGER: Final = re.compile(r"0[xX].*|[\d']+[uUlL]*|'.*|true|false")


def has_arithmetic(unit: Unit, span: Span) -> bool:
    """Return whether an expression has operators whose results can be rounded."""
    return not {*_ROUNDING}.isdisjoint(unit.words[slice(*span)])


def is_rounded(unit: Unit, uses: Uses, variable: Variable) -> bool:
    """Return whether the value of a variable can be rounded, as far as the text tells.

    The generated code proves that what it is computed from consists of integers.
    """
    return any(
        has_arithmetic(unit, span) and _has_fractions(unit, uses, span)
        for span in variable.values or ()
    )


def _has_fractions(unit: Unit, uses: Uses, span: Span) -> bool:
    words = unit.words[slice(*span)]
    if not FLOATING.isdisjoint(words):
        return True
    if any(is_literal(word) and not _INTEGER.fullmatch(word) for word in words):
        return True
    for index in list_names(unit, *span):
        found = uses.resolve(index)
        if found is None:
            is_member = unit.get(index - 1) in (".", "->")
            if not is_member and is_floating_constant(unit, unit.words[index]):
                return True
        elif found.is_floating or (
            is_deduced(unit, found)
            and any(_has_fractions(unit, uses, v) for v in found.values or ())
        ):
            return True
    return False
