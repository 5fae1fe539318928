"""Read the linkage of entities from their mangled names."""

from __future__ import annotations

import re
from typing import Final

# Part of a nested name; both compilers put an L before names with internal linkage.
# Source: Itanium C++ ABI, section 5.1.
_NAME: Final = re.compile(r"(?P<internal>L)?(?P<length>\d+)|S[0-9A-Z]*_|St")
_ANONYMOUS: Final = "_GLOBAL__N_"
# Numbers in a mangled name: literals, substitutions, discriminators, and the lengths of names.
_MANGLED: Final = re.compile(r"L[a-z]n?\d+E|[ST][0-9A-Z]*_|E\d+_|(?P<length>\d+)")
# A template argument that is a function or a variable.
_ADDRESS: Final = "L_Z"


def names_local_entity(symbol: str) -> bool:
    """Return whether a mangled name contains an entity that other objects cannot name.

    These are what is in unnamed namespaces and in functions, and template arguments that are
    static functions or variables.
    """
    if not symbol.startswith("_Z"):
        return False
    position = len("_Z")
    while position < len(symbol):
        if symbol.startswith(_ADDRESS, position):
            address = symbol[position + 1 :]
            if drop_internal_mark(address) != address:
                return True
            position += len(_ADDRESS)
            continue
        if symbol[position] == "Z":
            return True
        found = _MANGLED.match(symbol, position)
        if found is None:
            position += 1
        elif found["length"]:
            end = found.end() + int(found["length"])
            if symbol.startswith(_ANONYMOUS, found.end()):
                return True
            position = end
        else:
            position = found.end()
    return False


def drop_internal_mark(symbol: str) -> str:
    """Return the name of a static function as if it were not static."""
    position = len("_ZN") if symbol.startswith("_ZN") else len("_Z")
    while (name := _NAME.match(symbol, position)) is not None:
        if name["internal"]:
            return symbol[:position] + symbol[position + 1 :]
        position = name.end() + int(name["length"] or 0)
    return symbol
