"""The versioned JSON of `kbuild smoke`; field names are a contract."""

from __future__ import annotations

import json
from typing import Final

from kbuild.records import to_json
from kbuild.smoke.report import SmokeReport

SCHEMA: Final = "kbuild.smoke/1"


def render(report: SmokeReport) -> str:
    """The report as JSON."""
    fields = to_json(report)
    document = {"schema": SCHEMA, "path": fields.pop("path"), "ok": report.ok, **fields}
    return json.dumps(document, indent=2) + "\n"
