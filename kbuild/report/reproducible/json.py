"""The versioned JSON of `kbuild verify --reproducible`; see `docs/scale.md`."""

from __future__ import annotations

import json
from typing import Final

from kbuild.diff.reproducible.model import ReproducibilityReport
from kbuild.records import to_json

REPRODUCIBLE_SCHEMA: Final = "kbuild.reproducible/1"


def render(report: ReproducibilityReport) -> str:
    """The report as JSON; ASCII alone, because names may hold what UTF-8 cannot carry."""
    front = {"schema": REPRODUCIBLE_SCHEMA, "equal": report.is_equal}
    return json.dumps({**front, **to_json(report)}, indent=2) + "\n"
