"""JSON schemas of the tables that `kbuild.records` reads, from the same dataclass fields."""

from __future__ import annotations

import dataclasses
import datetime as dt
import types
import typing
from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from kbuild.records import DATE_PATTERN, Accept, Field, Key, fields_of
from kbuild.verify.policy.model import Policy

Schema: TypeAlias = dict[str, Any]

SCHEMA_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"

_SCALARS: Final[dict[Any, Schema]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    str: {"type": "string"},
    dt.date: {"type": "string", "format": "date", "pattern": f"^{DATE_PATTERN}$"},
}


def make_schema() -> Schema:
    """Return the JSON schema of a policy, with dates as strings."""
    return {
        "$schema": SCHEMA_DIALECT,
        "title": "kbuild verify policy",
        "description": "The [verify] table of kbuild.toml, [tool.kbuild.verify] of "
        "pyproject.toml, or a separate policy file.",
        **describe_table(fields_of(Policy)),
    }


def describe_table(fields: Mapping[str, Field]) -> Schema:
    """Return the schema of a table with these fields, by key."""
    schema: Schema = {
        "type": "object",
        "properties": {
            name: {"description": field.key.description, **_describe_field(field)}
            for name, field in fields.items()
        },
        "additionalProperties": False,
    }
    required = [name for name, field in fields.items() if field.is_required]
    if required:
        schema["required"] = required
    rules: list[Schema] = [
        {"not": {"required": [name, other]}}
        for name, field in fields.items()
        for other in field.key.not_with
        if other in fields
    ]
    selectors = [name for name, field in fields.items() if field.key.is_selector]
    if selectors:
        rules.append({"anyOf": [{"required": [name]} for name in selectors]})
    if rules:
        schema["allOf"] = rules
    return schema


def _describe_field(field: Field) -> Schema:
    if field.key.keyed_by is None:
        return _describe(field.kind)
    (kind, _) = typing.get_args(field.kind)
    return {"type": "object", "additionalProperties": _describe_item(kind, field.key)}


def _describe_item(kind: Any, outer: Key) -> Schema:
    """Return the schema of one entry of a table of tables."""
    fields = {name: f for name, f in fields_of(kind).items() if f.name != outer.keyed_by}
    table = describe_table(fields)
    if outer.shorthand is None:
        return table
    return {"oneOf": [_describe(fields[outer.shorthand].kind), table]}


def _describe(kind: Any) -> Schema:
    accept: Accept | None = None
    if typing.get_origin(kind) is Annotated:
        kind, accept = typing.get_args(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return describe_table(fields_of(typing.cast("Any", kind)))
    if origin in (types.UnionType, typing.Union):
        # Tables omit a key that has no value: TOML has no null.
        return _describe(next(a for a in arguments if a is not type(None)))
    if origin is typing.Literal:
        return {"enum": list(arguments)}
    if origin is tuple:
        items: Schema = {"type": "array", "items": _describe(arguments[0])}
        if accept is None or not accept.one_or_many:
            return items
        return {"oneOf": [items["items"], {**items, "minItems": 1}]}
    return {**_SCALARS[kind], **(_describe_limits(accept) if accept else {})}


def _describe_limits(accept: Accept) -> Schema:
    limits = {
        "minimum": accept.minimum,
        "maximum": accept.maximum,
        "pattern": f"^(?:{accept.pattern})$" if accept.pattern else None,
    }
    return {name: limit for name, limit in limits.items() if limit is not None}
