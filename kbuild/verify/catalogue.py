"""All rules, in the order of their ids."""

from __future__ import annotations

from typing import Final

from kbuild.verify.rule import Rule
from kbuild.verify.rules import (
    calls,
    images,
    layout,
    provenance,
    registration,
    stubs,
    symbols,
)

RULES: Final[tuple[Rule, ...]] = (
    *images.RULES,
    *symbols.RULES,
    *stubs.RULES,
    *calls.RULES,
    *registration.RULES,
    *layout.RULES,
    *provenance.RULES,
)
