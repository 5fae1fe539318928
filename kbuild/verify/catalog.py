"""All rules, ordered by id."""

from __future__ import annotations

from typing import Final

from kbuild.verify.rule import Rule
from kbuild.verify.rules import (
    architectures,
    calls,
    device_code,
    driver_needs,
    forward_code,
    hardening,
    identities,
    images,
    layout,
    linking,
    loading,
    provenance,
    registration,
    resources,
    stubs,
    symbols,
    upkeep,
)
from kbuild.verify.rules.wheels import compatibility, upload

_FAMILIES: Final = (
    *(upkeep, architectures, forward_code, images, device_code, driver_needs, resources),
    *(symbols, stubs, calls, registration, linking, identities, layout, hardening, provenance),
    *(loading, compatibility, upload),
)

RULES: Final[tuple[Rule, ...]] = tuple(
    sorted((rule for family in _FAMILIES for rule in family.RULES), key=lambda rule: rule.id)
)
