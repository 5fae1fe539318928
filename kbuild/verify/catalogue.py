"""All rules, in the order of their ids."""

from __future__ import annotations

from typing import Final

from kbuild.verify.rule import Rule
from kbuild.verify.rules import images, provenance, registration, symbols

RULES: Final[tuple[Rule, ...]] = (
    *images.RULES,
    *symbols.RULES,
    *registration.RULES,
    *provenance.RULES,
)
