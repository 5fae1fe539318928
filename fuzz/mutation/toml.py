"""Mutations of TOML documents, which stay valid TOML."""

from __future__ import annotations

import datetime as dt
import json
import random
import sys
from collections.abc import Sequence
from typing import Any, Final

from fuzz.mutation.json import mutate_document
from fuzz.mutation.text import make_text_mutator
from fuzz.target import Mutator

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_AS_TEXT: Final = 0.4
_MOST_BITS: Final = 256


def make_toml_mutator(vocabulary: Sequence[str]) -> Mutator:
    """Return a mutator that edits the values of a document, or its text.

    Args:
        vocabulary: The words of the format, for edits of the text.
    """
    mutate_text = make_text_mutator(vocabulary)

    def mutate(chance: random.Random, pool: Sequence[bytes]) -> bytes:
        document, other = (_parse(chance.choice(pool)) for _ in range(2))
        if document is None or chance.random() < _AS_TEXT:
            return mutate_text(chance, pool)
        mutate_document(chance, document, other)
        lines = (f"{_format(key)} = {_format(value)}\n" for key, value in document.items())
        return "".join(lines).encode("utf-8", "surrogatepass")

    return mutate


def _parse(data: bytes) -> dict[str, Any] | None:
    try:
        return tomllib.loads(data.decode())
    except (ValueError, RecursionError):
        return None


def _format(value: Any) -> str:
    """Return a value as TOML writes it, with tables in one line."""
    if isinstance(value, dict):
        items = (f"{_format(key)} = {_format(item)}" for key, item in value.items())
        return f"{{{', '.join(items)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_format, value))}]"
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return hex(abs(value))  # Python does not write thousands of decimal digits
    if isinstance(value, (dt.date, dt.time)):
        return value.isoformat()
    return json.dumps(value, ensure_ascii=False) if value is not None else '""'
