"""The versioned JSON of `kbuild replay`; field names are a contract."""

from __future__ import annotations

import json
from typing import Final

from kbuild.files import sha256
from kbuild.records import to_json
from kbuild.runtime.launch_records.replay import Replay

SCHEMA: Final = "kbuild.replay/1"


def render(replay: Replay) -> str:
    """The record without its contents, and how the launch ended."""
    record = replay.record
    document = {
        "schema": SCHEMA,
        "ok": replay.outcome.code == 0,
        "backend": record.backend,
        "kernel": to_json(record.kernel),
        "config": to_json(record.config),
        "notes": to_json(record.notes),
        "origin": to_json(record.origin),
        "recorded_outcome": to_json(record.outcome),
        "outcome": to_json(replay.outcome),
        "seconds": replay.seconds,
        "buffers": [
            {
                "size": buffer.size,
                "changed_bytes": buffer.changed_bytes,
                "sha256": None if buffer.after is None else sha256(buffer.after),
            }
            for buffer in replay.buffers
        ],
    }
    return json.dumps(document, indent=2) + "\n"
