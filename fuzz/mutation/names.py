"""Mangled and demangled C++ names: generated from the grammar of the ABI, and mutated.

Source: Itanium C++ ABI, section 5.1, "External Names (a.k.a. Mangling)".
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Final

from fuzz.mutation.binary import mutate_bytes
from fuzz.mutation.text import make_text_mutator

_BUILTIN: Final[tuple[str, ...]] = (
    *"vwbcahstijlmxynofdegz",
    "Dd",
    "De",
    "Df",
    "Dh",
    "Di",
    "Ds",
    "Da",
    "Dn",
)
_OPERATORS: Final = (
    *("nw", "dl", "pl", "mi", "eq", "lt", "ls", "rs", "cl", "ix", "pt", "ss", "cvi", "li3_km"),
)
_STANDARD: Final = ("St", "Sa", "Sb", "Ss", "Si", "So", "Sd")
_WORDS: Final = ("f", "scale", "operator", "ns", "_GLOBAL__N_1", "__device_stub__f", "a b", "é")
_PREFIXES: Final = ("_Z", "_Z", "_Z", "_Z", "_ZTV", "_ZTI", "_ZGV", "_ZL", "__Z", "_ZN", "")
_PIECES: Final = (
    *("P", "R", "K", "A1_", "F", "N", "I", "X", "1a", "S_", "T_", "St", "DpT_", "M1a", "Z1fEv"),
    *(" ", " [clone x]", " (.x", "operator ", "<", "(", "::"),
)
_DEEPEST: Final = 6

_mutate_words = make_text_mutator(
    ("operator()", "operator<", "operator->", "<", ">", "::", "(anonymous namespace)", " [clone "),
)


def mutate_name(chance: random.Random, pool: Sequence[bytes]) -> bytes:
    """Return a name that is generated, mutated, or both."""
    kind = chance.randrange(6)
    if kind == 0:
        return mutate_bytes(chance, pool)
    if kind == 1:
        return _mutate_words(chance, pool)
    name = _make_extreme(chance) if kind == 2 else _make_name(chance)
    if chance.random() < 0.4:
        return mutate_bytes(chance, (name.encode(), *pool[:1]))
    return name.encode()


def _make_name(chance: random.Random) -> str:
    types = "".join(_type(chance, 0) for _ in range(chance.randrange(1, 5)))
    return chance.choice(_PREFIXES) + _qualified(chance, 0) + types + chance.choice(("", "", ".1"))


def _make_extreme(chance: random.Random) -> str:
    """Return a name that repeats one construct, or doubles its length with each part."""
    count = chance.choice((10, 100, 1000, 10_000))
    piece = chance.choice(_PIECES)
    if chance.random() < 0.5:
        # Each part refers twice to the part before it, which is a later substitution.
        first = chance.choice(("i", "Li1E", f"Li{'1' * chance.choice((10, 100, 400))}E"))
        number = chance.choice((1, 5, 10, 16, 40))
        parts = "".join(f"1aI{2 * _substitute(2 * i + 2)}E" for i in range(number))
        return f"_Z1fI1aI{first}{first}E{parts}Evv"
    return f"_Z1f{piece * count}{chance.choice(('', 'i', 'E', 'E' * count))}"


def _substitute(index: int) -> str:
    return f"S{_number(index)}"


def _number(index: int) -> str:
    """Return a sequence number in base 36, as substitutions write it."""
    if index == 0:
        return "_"
    digits = ""
    index -= 1
    while True:
        digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[index % 36] + digits
        index //= 36
        if not index:
            return f"{digits}_"


def _source(chance: random.Random) -> str:
    word = chance.choice(_WORDS)
    length = len(word) if chance.random() < 0.9 else chance.choice((0, 99, 10**12, len(word) + 1))
    return f"{length}{word}"


def _unqualified(chance: random.Random, depth: int) -> str:
    name = chance.choice(_OPERATORS) if chance.random() < 0.2 else _source(chance)
    if depth < _DEEPEST and chance.random() < 0.3:
        arguments = (_argument(chance, depth + 1) for _ in range(chance.randrange(1, 4)))
        name += f"I{''.join(arguments)}E"
    return name


def _qualified(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(5)
    if kind < 2:
        return _unqualified(chance, depth)
    if kind == 2 and depth < _DEEPEST:
        return f"Z{_unqualified(chance, depth + 1)}{_type(chance, depth + 1)}E{_source(chance)}"
    parts = "".join(_unqualified(chance, depth + 1) for _ in range(chance.randrange(1, 4)))
    return f"N{chance.choice(('', 'K', 'St', 'S_', 'T_'))}{parts}{chance.choice(('', 'C1'))}E"


def _argument(chance: random.Random, depth: int) -> str:
    kind = chance.randrange(6)
    if kind == 0:
        return f"L{chance.choice('ibjm')}{chance.randrange(-3, 99)}E".replace("-", "n")
    if kind == 1 and depth < _DEEPEST:
        arguments = (_argument(chance, depth + 1) for _ in range(chance.randrange(3)))
        return f"J{''.join(arguments)}E"
    if kind == 2 and depth < _DEEPEST:
        return f"XadL_Z{_qualified(chance, depth + 1)}{_type(chance, depth + 1)}EE"
    return _type(chance, depth)


def _type(chance: random.Random, depth: int) -> str:
    if depth >= _DEEPEST or chance.random() < 0.3:
        return chance.choice(_BUILTIN)
    return chance.choice(_TYPES)(chance, depth + 1)


def _qualify(chance: random.Random, depth: int) -> str:
    return chance.choice(("P", "R", "O", "K", "V", "PK", "Dp")) + _type(chance, depth)


def _refer(chance: random.Random, _: int) -> str:
    return f"{chance.choice('SST')}{_number(chance.choice((0, 0, 1, 2, 40)))}"


def _make_array(chance: random.Random, depth: int) -> str:
    return f"A{chance.choice(('', '3', '99999999999'))}_{_type(chance, depth)}"


def _make_function(chance: random.Random, depth: int) -> str:
    return f"PF{_type(chance, depth)}{_type(chance, depth)}E"


def _standard(chance: random.Random, _: int) -> str:
    return chance.choice(_STANDARD)


_TYPES: Final = (
    _qualify,
    _qualify,
    _refer,
    _refer,
    _make_array,
    _make_function,
    _standard,
    _qualified,
)
