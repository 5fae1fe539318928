"""What the modules of a wheel need of Python's stable ABI, by the lists of abi3info."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from abi3info import DATAS, FUNCTIONS
from abi3info.models import Symbol as AbiSymbol
from packaging.tags import Tag

from kbuild.facts import ArtifactFacts
from kbuild.facts.wheel import PythonFacts, PythonSymbol

_TAG: Final = "abi3"
_SUFFIX: Final = ".abi3."
_INTERPRETER: Final = re.compile(r"(?:cp|py)(\d)(\d+)")
# PEP 384
_FIRST: Final = (3, 2)
_NAMES: Final = ("Py", "_Py")
# The function that Python calls to import a module. The module itself defines it.
_INITIALIZER: Final = "PyInit_"


def read_python(tags: frozenset[Tag], members: Iterable[ArtifactFacts]) -> PythonFacts:
    """Return what the modules for the stable ABI need.

    A wheel whose tags have ``abi3`` promises it of all its libraries. Otherwise, a module
    promises it by its own name, as ``_module.abi3.so`` does.

    Args:
        tags: The tags of the wheel's name.
        members: The facts of the artifacts in the wheel.
    """
    of_all = any(tag.abi == _TAG for tag in tags)
    promising = [tag for tag in tags if tag.abi == _TAG] or tags
    # Of several tags, abi3audit takes the newest version, too.
    versions = [version for tag in promising if (version := _read_version(tag.interpreter))]
    modules = [
        (name, facts)
        for facts in members
        if facts.kind == "shared-object"
        and (name := facts.path.partition("!")[2])
        and (of_all or _SUFFIX in name.rpartition("/")[2])
    ]
    symbols = (one for name, facts in modules for one in _list_symbols(name, facts))
    promised = max(versions, default=None)
    return PythonFacts(
        promised=promised,
        modules=tuple(name for name, _ in modules),
        symbols=tuple(s for s in symbols if s.added is None or s.added > (promised or _FIRST)),
    )


def _read_version(interpreter: str) -> tuple[int, int] | None:
    match = _INTERPRETER.fullmatch(interpreter)
    return (int(match[1]), int(match[2])) if match else None


def _list_symbols(module: str, facts: ArtifactFacts) -> Iterator[PythonSymbol]:
    """Yield the symbols of Python that a module takes from the interpreter."""
    for name in sorted({s.name for s in facts.symbols if s.dynamic and s.place is None}):
        if not name.startswith(_NAMES) or name.startswith(_INITIALIZER):
            continue
        known = FUNCTIONS.get(AbiSymbol(name)) or DATAS.get(AbiSymbol(name))
        added = (known.added.major, known.added.minor) if known else None
        yield PythonSymbol(module=module, name=name, added=added)
