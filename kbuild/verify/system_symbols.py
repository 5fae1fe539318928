"""The symbols of the C and C++ libraries and of GPU runtimes, which kernels must not interpose.

`scripts/update_symbol_lists.py` writes the lists from real libraries. A name that ends with ``*``
is imported by another of these libraries.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from kbuild.values import dataclass

_DIRECTORY: Final = Path(__file__).with_name("symbol_lists")
_IMPORTED: Final = "*"


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSymbol:
    """A symbol that a system library or GPU runtime defines.

    ``is_imported`` tells whether another such library uses it.
    """

    library: str
    is_imported: bool


@cache
def read_system_symbols() -> dict[str, SystemSymbol]:
    """Return the listed symbols by name. The first library that has a name counts."""
    found: dict[str, SystemSymbol] = {}
    for path in sorted(_DIRECTORY.glob("*.txt")):
        for line in path.read_text("ascii").splitlines():
            symbol = SystemSymbol(library=path.stem, is_imported=line.endswith(_IMPORTED))
            found.setdefault(line.removesuffix(_IMPORTED), symbol)
    return found
