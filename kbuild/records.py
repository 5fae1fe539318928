"""Model values to versioned JSON and back.

Values serialise field by field under their own names.  Reading checks every field
against the dataclass: an unknown, missing or ill-typed field raises InputError with its
path, so that a record of another version never half-loads.
"""

from __future__ import annotations

import dataclasses
import datetime as dt
import json
import types
import typing
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar

from kbuild.errors import InputError

T = TypeVar("T")

RECORD_SCHEMA: Final = "kbuild.record/1"
IMAGE_SCHEMA: Final = "kbuild.image/1"


def to_json(value: Any) -> Any:
    """A model value as JSON-ready data: dataclass to dict, tuple to list, Path and date to str."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    return value


def from_json(kind: type[T], data: Any, where: str = "") -> T:
    """The value of dataclass ``kind`` that ``data`` describes; InputError if it does not."""
    result = _read(kind, data, where or kind.__name__)
    return typing.cast("T", result)


@cache
def _fields(kind: Any) -> dict[str, tuple[Any, bool]]:
    hints = typing.get_type_hints(kind)
    return {
        f.name: (
            hints[f.name],
            f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING,
        )
        for f in dataclasses.fields(kind)
    }


def _read(kind: Any, data: Any, where: str) -> Any:  # noqa: PLR0911 - one a kind of type
    origin = typing.get_origin(kind)
    arguments = typing.get_args(kind)
    if dataclasses.is_dataclass(kind):
        return _read_dataclass(kind, data, where)
    if origin in (types.UnionType, typing.Union):
        if data is None and type(None) in arguments:
            return None
        return _read(next(a for a in arguments if a is not type(None)), data, where)
    if origin is typing.Literal:
        if not any(data == choice and type(data) is type(choice) for choice in arguments):
            raise InputError(
                f"{where}: {_show(data)} is none of {', '.join(map(_show, arguments))}"
            )
        return data
    if origin is tuple:
        if not isinstance(data, list):
            raise InputError(f"{where}: expected a list")
        return tuple(_read(arguments[0], d, f"{where}[{i}]") for i, d in enumerate(data))
    if kind is Path and isinstance(data, str):
        return Path(data)
    if not isinstance(data, kind) or (kind is int and isinstance(data, bool)):
        raise InputError(f"{where}: expected {kind.__name__}, found {type(data).__name__}")
    return data


def _show(value: Any) -> str:
    """As JSON and TOML have it."""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _read_dataclass(kind: Any, data: Any, where: str) -> Any:
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected an object")
    fields = _fields(kind)
    for name in data:
        if name not in fields:
            raise InputError(f"{where}: unknown field {name!r}")
    for name, (_, is_required) in fields.items():
        if is_required and name not in data:
            raise InputError(f"{where}: field {name!r} is missing")
    return kind(**{n: _read(fields[n][0], d, f"{where}.{n}") for n, d in data.items()})


def dump(schema: str, value: Any) -> bytes:
    """One line of canonical JSON with its schema: equal values give equal bytes."""
    body = {"schema": schema, **to_json(value)}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def load(schema: str, kind: type[T], content: bytes, where: str) -> T:
    """Read what `dump` wrote; ``where`` names the content in messages."""
    try:
        data = json.loads(content)
    except ValueError as error:
        raise InputError(f"{where}: not JSON: {error}") from error
    if not isinstance(data, dict) or data.pop("schema", None) != schema:
        raise InputError(f"{where}: not a {schema} record; rebuild it with this kbuild")
    return from_json(kind, data, where)
