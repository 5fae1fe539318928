"""The versioned JSON of `kbuild diff`; field names are a contract, see `docs/diff.md`."""

from __future__ import annotations

import json
from typing import Any, Final

from kbuild.diff.model import CodeChange, DiffReport, FunctionChange
from kbuild.records import to_json

DIFF_SCHEMA: Final = "kbuild.diff/1"


def render(report: DiffReport) -> str:
    """The report as JSON; ASCII alone, because names may hold what UTF-8 cannot carry."""
    body = to_json(report)
    body["functions"] = [_function(function) for function in report.functions]
    front = {
        "schema": DIFF_SCHEMA,
        "equal": report.is_equal,
        "abi_breaks": report.breaks,
    }
    return json.dumps({**front, **body}, indent=2) + "\n"


def _function(function: FunctionChange) -> dict[str, Any]:
    fields: dict[str, Any] = to_json(function)
    return {**fields, "code": _code(function.code) if function.code else None}


def _code(code: CodeChange) -> dict[str, Any]:
    """The hunks as [old, new] pairs: most of the text."""
    fields: dict[str, Any] = to_json(code)
    fields["hunks"] = [
        {
            "old_start": hunk.old_start,
            "new_start": hunk.new_start,
            "rows": [[row.old, row.new] for row in hunk.rows],
        }
        for hunk in code.hunks
    ]
    return fields
