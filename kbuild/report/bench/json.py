"""The versioned JSON of `kbuild bench launch`; field names are a contract."""

from __future__ import annotations

import json
from typing import Final

from kbuild.bench.results import LaunchReport
from kbuild.records import to_json

SCHEMA: Final = "kbuild.bench.launch/1"


def render(report: LaunchReport) -> str:
    """The report as JSON."""
    return json.dumps({"schema": SCHEMA, **to_json(report)}, indent=2) + "\n"
