"""C++ names, which forged files can contain: the demangler, and parsing its results."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from fuzz.mutation.names import mutate_name
from fuzz.target import Target, expect_input_errors
from kbuild.demangle.names import (
    demangle,
    is_internal_name,
    is_nameable,
    spell_function,
    split_function,
)
from kbuild.demangle.sentences import shorten_texts
from kbuild.demangle.short_names import shorten_names
from kbuild.demangle.stub_names import name_stub

_LARGEST: Final = 100_000


def check_demangler(data: bytes) -> None:
    """Demangle a name, and parse the result and the name itself."""
    name = data.decode("utf-8", "replace")
    display = demangle(name)
    for text in (display, name):
        split_function(text)
    spell_function(name, display)
    is_nameable(name)
    is_internal_name(name)


def check_stub_name(data: bytes) -> None:
    """Derive the name of a debug stub."""
    with expect_input_errors():
        name_stub(data.decode("utf-8", "replace"))


def check_short_names(data: bytes) -> None:
    """Shorten names, each of them on a line. Different names must stay different."""
    names = [demangle(line) for line in data.decode("utf-8", "replace").split("\n")]
    short = shorten_names(names)
    if len(set(short.values())) != len(set(names)):
        raise AssertionError("two names have the same short form")
    if len(list(shorten_texts(names))) != len(names):
        raise AssertionError("a text is missing")


def _mutate_names(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    return b"\n".join(mutate_name(chance, pool) for _ in range(3))


TARGETS: Final = (
    Target(
        name="demangler",
        check=check_demangler,
        seeds=("name/*",),
        mutate=mutate_name,
        largest=_LARGEST,
    ),
    Target(name="short-names", check=check_short_names, seeds=("name/*",), mutate=_mutate_names),
    Target(name="stub-name", check=check_stub_name, seeds=("name/*",), mutate=mutate_name),
)
