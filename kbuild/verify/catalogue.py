"""All rules, in the order of their ids."""

from __future__ import annotations

from typing import Final

from kbuild.verify.rule import Rule
from kbuild.verify.rules import (
    calls,
    device_code,
    hardening,
    identities,
    images,
    layout,
    linking,
    provenance,
    registration,
    stubs,
    symbols,
)

_FAMILIES: Final = (
    *(images, device_code, symbols, stubs, calls),
    *(registration, linking, identities, layout, hardening, provenance),
)

RULES: Final[tuple[Rule, ...]] = tuple(
    sorted((rule for family in _FAMILIES for rule in family.RULES), key=lambda rule: rule.id)
)
