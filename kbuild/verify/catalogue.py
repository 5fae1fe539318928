"""All rules, in the order of their ids."""

from __future__ import annotations

from typing import Final

from kbuild.verify.rule import Rule
from kbuild.verify.rules import (
    architectures,
    calls,
    driver_needs,
    forward_code,
    images,
    layout,
    provenance,
    registration,
    resources,
    stubs,
    symbols,
    upkeep,
)

_FAMILIES: Final = (
    *upkeep.RULES,
    *architectures.RULES,
    *forward_code.RULES,
    *images.RULES,
    *driver_needs.RULES,
    *resources.RULES,
    *symbols.RULES,
    *stubs.RULES,
    *calls.RULES,
    *registration.RULES,
    *layout.RULES,
    *provenance.RULES,
)

RULES: Final[tuple[Rule, ...]] = tuple(sorted(_FAMILIES, key=lambda rule: rule.id))
