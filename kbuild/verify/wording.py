"""Phrases for findings about several things, and messages with a place for examples."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import islice
from typing import Final

from kbuild.demangle.names import demangle
from kbuild.verify.report import Instance

# The places in a message where the engine shows the first instances of a finding: their
# kernels, architectures, or places alone, or each instance with all that is known about it.
KERNELS: Final = "{kernels}"
ARCHITECTURES: Final = "{architectures}"
PLACES: Final = "{places}"
EXAMPLES: Final = "{examples}"

_NAMES_SHOWN: Final = 3
_BLANK: Final = re.compile(r"\{(?:kernels|architectures|places|examples)\}")


def shorten(names: Iterable[str]) -> str:
    """Return the first names without duplicates, and how many others there are."""
    distinct = list(dict.fromkeys(names))
    return _join(distinct[:_NAMES_SHOWN], len(distinct))


def plural(count: int, word: str) -> str:
    """Return ``1 kernel`` or ``2 kernels``."""
    return f"{count} {word}{'' if count == 1 else 's'}"


def fill_message(template: str, instances: tuple[Instance, ...]) -> str:
    """Return the message of a finding: its template with the first of its instances."""
    return _BLANK.sub(lambda match: _show(match[0], instances), template)


def _show(blank: str, instances: tuple[Instance, ...]) -> str:
    if blank == EXAMPLES:
        return _join([_describe(one) for one in instances[:_NAMES_SHOWN]], len(instances))
    if blank == KERNELS:
        # A library can have a million kernels, and only those that are shown need a name.
        symbols = dict.fromkeys(one.symbol for one in instances if one.symbol is not None)
        return _join([demangle(s) for s in islice(symbols, _NAMES_SHOWN)], len(symbols))
    return shorten(
        text
        for one in instances
        if (text := one.arch if blank == ARCHITECTURES else one.where) is not None
    )


def _describe(one: Instance) -> str:
    """Return ``kernel on architecture (place)``, as far as it is known."""
    name = demangle(one.symbol) if one.symbol is not None else None
    if name is None and one.arch is None:
        return one.where or ""
    place = f" ({one.where})" if one.where is not None else ""
    return f"{' on '.join(text for text in (name, one.arch) if text is not None)}{place}"


def _join(shown: list[str], count: int) -> str:
    rest = count - len(shown)
    return f"{', '.join(shown)} and {rest} more" if rest > 0 else ", ".join(shown)
