"""Tables of a dataclass's fields: the keys of `kbuild.toml`, and of the JSON reports."""

from __future__ import annotations

import dataclasses
import importlib
import types
from collections.abc import Mapping
from typing import Any, Final, Literal, Union, get_args, get_origin, get_type_hints

from kbuild_reference.markdown import format_table, read_prose

_NAMES: Final[Mapping[Any, str]] = {
    str: "string",
    bool: "boolean",
    int: "integer",
    float: "number",
    bytes: "string, hexadecimal",
    type(None): "null",
    Any: "any",
}


def render(argument: str, body: str) -> str:
    """Render the fields of a class: name, type, default if requested, and meaning.

    ``argument`` is the class's path, followed by ``+default`` for a column of default values
    and ``-name`` for a field that is not shown. ``body`` has the meaning of each field.
    """
    path, *flags = argument.split()
    prose = read_prose(body)
    hidden = {flag[1:] for flag in flags if flag.startswith("-")}
    shows_defaults = "+default" in flags
    fields = [field for field in _fields(path) if field[0] not in hidden]
    _check(path, prose, [name for name, *_ in fields])
    header = ("Key", "Type", *(("Default",) if shows_defaults else ()), "Meaning")
    rows = [
        (f"`{name}`", describe(hint), *((default,) if shows_defaults else ()), prose[name])
        for name, hint, default in (
            ((name, _without_none(hint), default) for name, hint, default in fields)
            if shows_defaults  # TOML has no null: a key is there or not
            else fields
        )
    ]
    return format_table(header, rows)


def _fields(path: str) -> list[tuple[str, Any, str]]:
    module, _, name = path.rpartition(".")
    owner = getattr(importlib.import_module(module), name)
    hints = get_type_hints(owner)
    return [(field.name, hints[field.name], _default(field)) for field in dataclasses.fields(owner)]


def _check(path: str, prose: Mapping[str, str], names: list[str]) -> None:
    for name in names:
        if not prose.get(name):
            raise ValueError(f"{path}: say what {name!r} means")
    for name in prose:
        if name not in names:
            raise ValueError(f"{path} has no field {name!r}; expected one of {', '.join(names)}")


def _default(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING:
        return "required"
    value = field.default
    if value is None or value == ():
        return "not set" if value is None else "`[]`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f'`"{value}"`' if isinstance(value, str) else f"`{value}`"


def describe(hint: Any) -> str:
    """Describe a type in JSON's and TOML's words."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint in _NAMES:
        return _NAMES[hint]
    if origin is Literal:
        return " or ".join(_literal(value) for value in arguments)
    if origin in (Union, types.UnionType):
        return " or ".join(dict.fromkeys(map(describe, arguments)))
    if origin is tuple:
        inner = arguments[:1] if arguments[-1] is Ellipsis else dict.fromkeys(arguments)
        return f"array of {' or '.join(_plural(describe(item)) for item in inner)}"
    return "object"


def _without_none(hint: Any) -> Any:
    if get_origin(hint) not in (Union, types.UnionType):
        return hint
    return Union[tuple(item for item in get_args(hint) if item is not type(None))]  # noqa: UP007


def _literal(value: object) -> str:
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f'`"{value}"`'


def _plural(word: str) -> str:
    return f"{word}s" if word in ("string", "boolean", "integer", "number", "object") else word
