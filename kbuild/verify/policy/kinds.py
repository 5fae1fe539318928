"""The kinds of values that a policy may hold: how each is read, and what its schema says.

One table of them (`kbuild.verify.policy.tables`) makes the reader and the JSON schema, so
that an editor never accepts what `kbuild verify` refuses.
"""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from kbuild.errors import ConfigurationError, did_you_mean

Schema = dict[str, Any]
Read = Callable[[object, str], Any]

# Two digits at most: a driver's own number (550.54.14) is a mistake, not a CUDA release.
_VERSION: Final = re.compile(r"[0-9]{1,2}(\.[0-9]{1,3}){1,2}")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of value; ``read`` gets it and its place for messages."""

    read: Read
    schema: Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """A key of a table; ``not_with`` are those that it makes no sense beside."""

    kind: Kind
    what: str
    is_required: bool = False
    not_with: tuple[str, ...] = ()


def _read_strings(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ConfigurationError(f"{where}: expected a list of strings")
    if not all(value):
        raise ConfigurationError(f"{where}: one of the strings is empty")
    return tuple(value)


def _read_globs(value: object, where: str) -> tuple[str, ...]:
    patterns = _read_strings([value] if isinstance(value, str) else value, where)
    if not patterns:
        raise ConfigurationError(f"{where}: the list is empty, which would match nothing")
    return patterns


def _read_count(value: object, where: str) -> int:
    # JSON knows no integers of their own: 64.0 is one to every schema.
    is_whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not is_whole or value < 0:
        raise ConfigurationError(f"{where}: expected a number, 0 or more")
    return int(value)


def _read_version(value: object, where: str) -> str:
    if not isinstance(value, str) or not _VERSION.fullmatch(value):
        raise ConfigurationError(
            f'{where}: expected the version of a release in quotes, as in "12.4" (not the '
            "driver's own number)"
        )
    return value


def _read_text(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{where}: the {where.rpartition('.')[2]} is empty")
    return value


def _read_file(value: object, where: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ConfigurationError(f"{where}: expected the name of a file in quotes")
    return value


def _read_date(value: object, where: str) -> dt.date:
    if isinstance(value, dt.date) and not isinstance(value, dt.datetime):
        return value
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            pass
    raise ConfigurationError(f"{where}: expected a date, as in 2026-12-31")


STRINGS: Final = Kind(
    read=_read_strings, schema={"type": "array", "items": {"type": "string", "minLength": 1}}
)
GLOBS: Final = Kind(
    read=_read_globs,
    schema={
        "oneOf": [
            {"type": "string", "minLength": 1},
            {"type": "array", "items": {"type": "string", "minLength": 1}, "minItems": 1},
        ]
    },
)
COUNT: Final = Kind(read=_read_count, schema={"type": "integer", "minimum": 0})
VERSION: Final = Kind(
    read=_read_version, schema={"type": "string", "pattern": f"^{_VERSION.pattern}$"}
)
TEXT: Final = Kind(read=_read_text, schema={"type": "string", "pattern": r"\S"})
FILE: Final = Kind(read=_read_file, schema={"type": "string", "pattern": r"\S"})
DATE: Final = Kind(
    read=_read_date,
    schema={"type": "string", "format": "date", "pattern": f"^{_DATE.pattern}$"},
)


def choice(*words: str) -> Kind:
    """One of these words."""

    def read(value: object, where: str) -> str:
        if not isinstance(value, str) or value not in words:
            raise ConfigurationError(f"{where}: {value!r} is none of {', '.join(words)}")
        return value

    return Kind(read=read, schema={"enum": list(words)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table with these keys; it needs one of ``any_of``, where there are any."""

    keys: Mapping[str, Key]
    any_of: tuple[str, ...] = ()
    make: Callable[..., Any] = field(default=dict)

    def read(self, value: object, where: str) -> Any:
        """What ``make`` makes of the values; ConfigurationError for what is not in the table."""
        if not isinstance(value, dict):
            raise ConfigurationError(f"{where}: expected a table")
        for name in value:
            if name not in self.keys:
                hint = did_you_mean(name, self.keys)
                raise ConfigurationError(f"{where}: unknown key {name!r}{hint}")
        self._check_company(value, where)
        return self.make(
            **{name: self.keys[name].kind.read(v, f"{where}.{name}") for name, v in value.items()}
        )

    def _check_company(self, value: dict[str, object], where: str) -> None:
        for name, key in self.keys.items():
            if key.is_required and name not in value:
                raise ConfigurationError(f"{where}: {name} is missing")
            for other in key.not_with:
                if name in value and other in value:
                    raise ConfigurationError(f"{where}: {name} cannot depend on {other}")
        if self.any_of and not any(name in value for name in self.any_of):
            raise ConfigurationError(f"{where}: none of {', '.join(self.any_of)} is there")

    @property
    def schema(self) -> Schema:
        """The same as a JSON schema."""
        schema: Schema = {
            "type": "object",
            "properties": {
                name: {"description": key.what, **key.kind.schema}
                for name, key in self.keys.items()
            },
            "additionalProperties": False,
        }
        required = [name for name, key in self.keys.items() if key.is_required]
        if required:
            schema["required"] = required
        rules: list[Schema] = [
            {"not": {"required": [name, other]}}
            for name, key in self.keys.items()
            for other in key.not_with
        ]
        if self.any_of:
            rules.append({"anyOf": [{"required": [name]} for name in self.any_of]})
        if rules:
            schema["allOf"] = rules
        return schema

    @property
    def kind(self) -> Kind:
        """The table as a value of another one."""
        return Kind(read=self.read, schema=self.schema)


def list_of(table: Table) -> Kind:
    """An array of tables, as ``[[name]]`` writes them."""

    def read(value: object, where: str) -> tuple[Any, ...]:
        if not isinstance(value, list):
            name = where.rpartition(".")[2]
            raise ConfigurationError(f"{where}: expected tables, written [[verify.{name}]]")
        return tuple(table.read(item, f"{where}[{i}]") for i, item in enumerate(value))

    return Kind(read=read, schema={"type": "array", "items": table.schema})
