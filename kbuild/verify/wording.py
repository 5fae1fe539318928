"""How findings speak of many things at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_NAMES_SHOWN: Final = 3


def shorten(names: Iterable[str]) -> str:
    """The first names, each once, and how many more there are."""
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:_NAMES_SHOWN])
    rest = len(distinct) - _NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown
