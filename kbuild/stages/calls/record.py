"""Read the record of a call, which CMake writes for ``kbuild plan``.

It has one ``key value`` pair per line. A line that starts with a space continues the value before
it. CMake 3.22 cannot write JSON with reasonable effort.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from kbuild.errors import InputError
from kbuild.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CallRecord:
    """The function and the raw arguments of a call, and what only CMake knows.

    ``facts`` are the values of variables, by their names, and of target properties, whose names
    start with ``target.``. The values are lists, as in CMake.
    ``known`` are the arguments that are targets. ``generated`` are those that are files with the
    property ``GENERATED``, and ``definitions`` the ``COMPILE_DEFINITIONS`` of those that have any.
    """

    function: str
    arguments: tuple[str, ...]
    facts: Mapping[str, tuple[str, ...]]
    known: frozenset[str] = frozenset()
    generated: frozenset[str] = frozenset()
    definitions: Mapping[str, tuple[str, ...]]

    def find_all(self, name: str) -> tuple[str, ...]:
        """Return the items of a variable or property, without empty ones."""
        return tuple(filter(None, self.facts.get(name, ())))

    def find(self, name: str, default: str = "") -> str:
        """Return the value of a variable or property, or the default if it is not set or empty."""
        values = self.find_all(name)
        return values[-1] if values else default


def read_call(path: Path) -> CallRecord:
    """Read the record at ``path``.

    Raises:
        InputError: The file does not exist, or does not describe a call.
    """
    facts: dict[str, tuple[str, ...]] = {}
    for key, value in _read_pairs(path):
        facts[key] = (*facts.get(key, ()), value)
    if "function" not in facts:
        raise InputError(f"{path}: key 'function' is missing; run CMake again")
    arguments = facts.get("argument", ())
    return CallRecord(
        function=facts["function"][-1],
        arguments=arguments,
        facts=facts,
        known=frozenset(facts.get("known", ())),
        generated=frozenset(arguments[int(index)] for index in facts.get("generated", ())),
        definitions={
            argument: facts[f"definition.{index}"]
            for index, argument in enumerate(arguments)
            if f"definition.{index}" in facts
        },
    )


def _read_pairs(path: Path) -> list[tuple[str, str]]:
    try:
        # CMake writes the bytes of paths unchanged, and they might not be UTF-8.
        text = os.fsdecode(path.read_bytes())
    except FileNotFoundError as error:
        raise InputError(f"{path}: no such file; run CMake again") from error
    lines = text.replace("\n ", "\0").split("\n")
    pairs = (line.replace("\0", "\n").partition(" ") for line in lines if line)
    return [(key, value) for key, _, value in pairs]
