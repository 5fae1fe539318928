"""The JSON schema of ``kbuild.toml``, from the dataclasses that read it."""

from __future__ import annotations

from typing import Any

from kbuild.project.manifest.tables import PROFILES, ProfileTable, TargetTable
from kbuild.records import fields_of
from kbuild.verify.policy.schema import SCHEMA_DIALECT, describe_table, make_schema


def make_manifest_schema() -> dict[str, Any]:
    """Return the schema. Editors use it to complete and check keys."""
    target = describe_table(fields_of(TargetTable))
    profile = describe_table(fields_of(ProfileTable))
    policy = {key: value for key, value in make_schema().items() if key != "$schema"}
    return {
        "$schema": SCHEMA_DIALECT,
        "title": "kbuild manifest",
        "description": "kbuild.toml, or the table [tool.kbuild] of pyproject.toml.",
        "type": "object",
        "properties": {
            "target": {"type": "object", "additionalProperties": target},
            "profile": {
                "type": "object",
                "properties": dict.fromkeys(PROFILES, profile),
                "additionalProperties": False,
            },
            "verify": policy,
        },
        "additionalProperties": False,
    }
