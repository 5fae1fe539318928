"""The keys of a policy, from the JSON schema that `kbuild verify --policy-schema` prints."""

from __future__ import annotations

from typing import Any

from kbuild.verify.policy.schema import make_schema
from kbuild_reference.markdown import escape, format_table


def render(argument: str, _body: str) -> str:
    """Render the keys of the policy, or of one of its tables (``for``, ``waivers``)."""
    schema: Any = make_schema()
    if argument:
        schema = schema["properties"][argument]["items"]
    required = schema.get("required", ())
    rows = [
        (
            f"`{name}`" + (" (required)" if name in required else ""),
            _describe(value),
            escape(value.get("description", "")),
        )
        for name, value in schema["properties"].items()
    ]
    return format_table(("Key", "Value", "Meaning"), rows)


def _describe(schema: Any) -> str:
    if "enum" in schema:
        return " or ".join(f'`"{word}"`' for word in schema["enum"])
    if "oneOf" in schema:
        return " or ".join(map(_describe, schema["oneOf"]))
    kind = schema.get("type")
    if kind == "array":
        is_tables = schema["items"].get("type") == "object"
        return "array of tables" if is_tables else f"array of {_describe(schema['items'])}s"
    if kind == "object":
        return "table"
    return "date" if schema.get("format") == "date" else str(kind)
