"""Frozen dataclasses to JSON, and JSON or TOML data back to dataclasses.

`to_json` writes every field under its own name. `from_json` checks the data against the
dataclass: its type hints, what `Accept` adds to a type, and what `key` adds to a field.
Anything unknown, missing, or out of range raises InputError with the path of the value, so
that data of another version is never read in part::

    Count: TypeAlias = Annotated[int, Accept("an integer of at least 0", minimum=0)]

    @dataclass(frozen=True, slots=True, kw_only=True)
    class Limits:
        max_registers: Count | None = field(default=None, metadata=key("Registers per thread."))
"""

from __future__ import annotations

import datetime as dt
import json
import re
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias, TypeVar

from kbuild.errors import InputError, did_you_mean
from kbuild.values import dataclass, list_fields

T = TypeVar("T")
Reader: TypeAlias = Callable[[Any, str], Any]

RECORD_SCHEMA: Final = "kbuild.record/2"
# Version 1 lacks the compilers and the figures of images.
OLDER_RECORD_SCHEMAS: Final = ("kbuild.record/1",)
IMAGE_SCHEMA: Final = "kbuild.image/1"

DATE_PATTERN: Final = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

_KEY: Final = "kbuild.key"
_LONGEST_SHOWN: Final = 60
_TYPE_NAMES: Final[dict[Any, str]] = {
    bool: "true or false",
    int: "an integer",
    float: "a number",
    str: "a string",
    Path: "a path",
    dt.date: "a date such as 2026-12-31",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Accept:
    """A condition on a value in addition to its type: ``Annotated[type, Accept(...)]``.

    Attributes:
        expected: The expected value for error messages, such as ``"an integer of at least 0"``.
        minimum: The smallest allowed integer.
        maximum: The largest allowed integer.
        pattern: A regular expression that must match the whole string.
        one_or_many: For a list: it must not be empty, and a single item can replace a list of
            one item.
    """

    expected: str
    minimum: int | None = None
    maximum: int | None = None
    pattern: str | None = None
    one_or_many: bool = False

    def allows(self, value: Any) -> bool:
        """Return whether a scalar of the right type is in range and matches the pattern."""
        if self.minimum is not None and value < self.minimum:
            return False
        if self.maximum is not None and value > self.maximum:
            return False
        return self.pattern is None or re.fullmatch(self.pattern, value) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """How a table writes a dataclass field, and how its key depends on other keys.

    Attributes:
        description: What the key means, for schemas and documentation.
        name: The key, if it is not the field's name.
        is_internal: Tables cannot set the field.
        is_selector: A table must have at least one of the keys that are marked so.
        not_with: The keys that cannot stand beside this one.
        keyed_by: The value is a table of tables, read into a tuple of dataclasses. Each outer
            key becomes the item's field of this name.
        shorthand: With ``keyed_by``: a value that is not a table stands for this field of
            the item.
    """

    description: str = ""
    name: str | None = None
    is_internal: bool = False
    is_selector: bool = False
    not_with: tuple[str, ...] = ()
    keyed_by: str | None = None
    shorthand: str | None = None


def key(description: str = "", **details: Any) -> Mapping[str, Key]:
    """Return metadata for `dataclasses.field`; the arguments are the attributes of `Key`."""
    return {_KEY: Key(description=description, **details)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A dataclass field that tables can set."""

    name: str
    kind: Any
    is_required: bool
    key: Key


@cache
def fields_of(kind: Any) -> Mapping[str, Field]:
    """Return the fields of a dataclass that tables can set, by their keys."""
    hints = typing.get_type_hints(kind, include_extras=True)
    fields = {}
    for field in list_fields(kind):
        details: Key = field.metadata.get(_KEY) or Key()
        if details.is_internal:
            continue
        fields[details.name or field.name] = Field(
            name=field.name,
            kind=hints[field.name],
            is_required=field.is_required,
            key=details,
        )
    return fields


def to_json(value: Any) -> Any:
    """Return data that `json` can write.

    A dataclass becomes a dict, a tuple becomes a list, and a Path or date becomes a string.
    The values of a dict are converted, too.
    """
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [to_json(item) for item in value]
    if isinstance(value, dict):
        return {name: to_json(item) for name, item in value.items()}
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, dt.date):
        return value.isoformat()
    fields = list_fields(type(value))
    return {f.name: to_json(getattr(value, f.name)) for f in fields} if fields else value


def from_json(kind: type[T], data: Any, where: str = "") -> T:
    """Return the dataclass value that parsed JSON or TOML describes.

    Args:
        kind: The dataclass to create.
        data: A dict, as `json` or `tomllib` return it.
        where: What messages call the data, such as a file name. By default, the class name.

    Raises:
        InputError: A key is unknown or missing, or a value is not what its field accepts.
    """
    read = _reader(typing.cast("Any", kind))
    return typing.cast("T", read(data, where or kind.__name__))


@cache
def _reader(kind: Any) -> Reader:
    """Return the function that reads a value of this type."""
    accept: Accept | None = None
    if typing.get_origin(kind) is Annotated:
        kind, accept = typing.get_args(kind)
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if isinstance(kind, type) and list_fields(kind):
        return partial(_read_table, kind)
    if origin in (types.UnionType, typing.Union):
        some = next(argument for argument in arguments if argument is not type(None))
        return partial(_read_optional, _reader(some))
    if origin is typing.Literal:
        return partial(_read_choice, arguments)
    if origin is tuple:
        return partial(_read_list, arguments, accept)
    return partial(_read_scalar, kind, accept)


def _read_optional(read: Reader, data: Any, where: str) -> Any:
    return None if data is None else read(data, where)


def _read_choice(choices: tuple[Any, ...], data: Any, where: str) -> Any:
    # 1 == True in Python, but not in JSON and TOML.
    if not any(data == choice and type(data) is type(choice) for choice in choices):
        expected = ", ".join(map(_show, choices))
        raise InputError(f"{where}: unsupported value {_show(data)}; expected one of {expected}")
    return data


def _read_list(
    kinds: tuple[Any, ...], accept: Accept | None, data: Any, where: str
) -> tuple[Any, ...]:
    """Read ``tuple[X, ...]`` from a list of any length, ``tuple[X, Y]`` from one of two items."""
    if accept is not None and accept.one_or_many and isinstance(data, str):
        data = [data]
    is_open = kinds[-1] is Ellipsis
    if not isinstance(data, list) or (accept is not None and accept.one_or_many and not data):
        raise InputError(
            f"{where}: expected {accept.expected if accept else 'a list'}, found {_show(data)}"
        )
    if not is_open and len(data) != len(kinds):
        raise InputError(f"{where}: expected a list of {len(kinds)} items, found {len(data)} items")
    readers = [_reader(kinds[0])] * len(data) if is_open else map(_reader, kinds)
    return tuple(
        read(item, f"{where}[{i}]")
        for i, (read, item) in enumerate(zip(readers, data, strict=True))
    )


def _read_scalar(kind: Any, accept: Accept | None, data: Any, where: str) -> Any:
    value = _convert(kind, data)
    is_typed = isinstance(value, kind) and (kind is bool or not isinstance(value, bool))
    if not is_typed or (accept is not None and not accept.allows(value)):
        expected = accept.expected if accept else _TYPE_NAMES.get(kind, kind.__name__)
        raise InputError(f"{where}: expected {expected}, found {_show(data)}")
    return value


def _convert(kind: Any, data: Any) -> Any:
    """Return the Python value of what JSON and TOML write with another type."""
    if kind is Path and isinstance(data, str):
        return Path(data)
    if kind is int and isinstance(data, float) and data.is_integer():
        # JSON has one type of number, so 64.0 is an integer to every schema.
        return int(data)
    if kind is dt.date:
        if isinstance(data, str) and re.fullmatch(DATE_PATTERN, data):
            try:
                return dt.date.fromisoformat(data)
            except ValueError:
                return None
        return None if isinstance(data, dt.datetime) else data
    return data


def _show(value: Any) -> str:
    """Return a value as TOML writes it, in few characters."""
    if isinstance(value, (list, dict)):
        kind = "a list" if isinstance(value, list) else "a table"
        return kind if value else f"an empty {kind[2:]}"
    if value is None or isinstance(value, bool):
        return json.dumps(value)
    text = repr(value) if isinstance(value, (str, int, float)) else str(value)
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 3]}..."


def _read_table(kind: Any, data: Any, where: str, **given: Any) -> Any:
    """Read a dataclass; ``given`` are fields whose values are known already."""
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected a table, found {_show(data)}")
    fields = {name: f for name, f in fields_of(kind).items() if f.name not in given}
    _check_keys(fields, data, where)
    values = {
        fields[name].name: _read_field(fields[name], item, f"{where}.{name}")
        for name, item in data.items()
    }
    return kind(**given, **values)


def _check_keys(fields: Mapping[str, Field], data: Mapping[str, Any], where: str) -> None:
    check_keys(data, fields, where)
    for name, field in fields.items():
        if field.is_required and name not in data:
            raise InputError(f"{where}: missing key {name!r}")
        for other in field.key.not_with:
            if name in data and other in data:
                raise InputError(f"{where}: {name!r} cannot be combined with {other!r}")
    selectors = [name for name, field in fields.items() if field.key.is_selector]
    if selectors and not any(name in data for name in selectors):
        names = ", ".join(map(repr, selectors))
        raise InputError(f"{where}: expected at least one of {names}")


def check_keys(data: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Raise InputError for a key that is not ``known``, with the nearest known key."""
    known = tuple(known)
    for name in data:
        if name not in known:
            raise InputError(f"{where}: unknown key {name!r}{did_you_mean(name, known)}")


def _read_field(field: Field, data: Any, where: str) -> Any:
    if field.key.keyed_by is None:
        return _reader(field.kind)(data, where)
    if not isinstance(data, dict):
        raise InputError(f"{where}: expected a table, found {_show(data)}")
    (kind, _) = typing.get_args(field.kind)
    return tuple(_read_item(kind, field.key, name, data[name], where) for name in data)


def _read_item(kind: Any, outer: Key, name: str, data: Any, where: str) -> Any:
    """Read one entry of a table of tables."""
    if outer.shorthand is not None and not isinstance(data, dict):
        data = {outer.shorthand: data}
    return _read_table(kind, data, f"{where}.{name}", **{str(outer.keyed_by): name})


def dump(schema: str, value: Any) -> bytes:
    """Return a value and its schema as one line of JSON. Equal values give equal bytes."""
    body = {"schema": schema, **to_json(value)}
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return text.encode() + b"\n"


def load(schema: str, kind: type[T], content: bytes, where: str, older: tuple[str, ...] = ()) -> T:
    """Return the value that `dump` wrote.

    Args:
        schema: The schema that the content must have.
        kind: The dataclass to create.
        content: The JSON.
        where: What messages call the content.
        older: Earlier versions of the schema, whose fields ``kind`` still has.

    Raises:
        InputError: The content is not JSON, has another schema, or does not fit ``kind``.
    """
    try:
        data = json.loads(content.decode())
        if b"\\u" in content:
            # An escaped half of a surrogate pair is valid JSON, but not text.
            json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {error}") from error
    found = data.pop("schema", None) if isinstance(data, dict) else None
    if found != schema and found not in older:
        raise InputError(
            f"{where}: not a {schema} record (its schema is {_show(found)}); "
            "create it again with this version of kbuild"
        )
    return from_json(kind, data, where)
