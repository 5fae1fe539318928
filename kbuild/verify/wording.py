"""Phrases for findings about several things."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

_NAMES_SHOWN: Final = 3


def shorten(names: Iterable[str]) -> str:
    """Return the first names without duplicates, and how many others there are."""
    distinct = list(dict.fromkeys(names))
    shown = ", ".join(distinct[:_NAMES_SHOWN])
    rest = len(distinct) - _NAMES_SHOWN
    return f"{shown} and {rest} more" if rest > 0 else shown


def plural(count: int, word: str) -> str:
    """Return ``1 kernel`` or ``2 kernels``."""
    return f"{count} {word}{'' if count == 1 else 's'}"
