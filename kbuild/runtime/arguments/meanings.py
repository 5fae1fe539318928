"""What a parameter's C++ type says about the Python values that may stand for it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, TypeAlias

from kbuild.model import Param

POINTER_SIZE: Final = 8

_QUALIFIERS: Final = frozenset({"const", "volatile", "__restrict__", "__restrict", "restrict"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Builtin:
    """A builtin arithmetic type.

    ``kinds`` are the kinds of number that it holds, in numpy's letters: ``b``ool,
    s``i``gned, ``u``nsigned, ``f``loating.  ``code`` is the :mod:`struct` format, None
    where Python has none.
    """

    name: str
    kinds: str
    size: int
    code: str | None

    @property
    def dtype(self) -> str:
        """The numpy type that messages suggest."""
        if self.kinds == "b":
            return "numpy.bool_"
        word = {"i": "int", "u": "uint", "f": "float"}[self.kinds[0]]
        return f"numpy.{word}{8 * self.size}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pointer:
    """A pointer; ``pointee`` is None where anything may be behind it."""

    pointee: Builtin | None
    is_to_const: bool


Meaning: TypeAlias = Builtin | Pointer | None

# Plain char is signed on x86 and unsigned on Arm; arrays of it may be either.
_CHAR_CODE: Final = "<b" if os.uname().machine == "x86_64" else "<B"
# LP64, the data model of the platforms that kbuild runs on.
_BUILTINS: Final = {
    name: Builtin(name=name, kinds=kinds, size=size, code=code)
    for name, kinds, size, code in (
        ("bool", "b", 1, "?"),
        ("char", "iu", 1, _CHAR_CODE),
        ("signed char", "i", 1, "<b"),
        ("unsigned char", "u", 1, "<B"),
        ("char8_t", "u", 1, "<B"),
        ("short", "i", 2, "<h"),
        ("unsigned short", "u", 2, "<H"),
        ("char16_t", "u", 2, "<H"),
        ("wchar_t", "iu", 4, "<i"),
        ("int", "i", 4, "<i"),
        ("unsigned int", "u", 4, "<I"),
        ("char32_t", "u", 4, "<I"),
        ("long", "i", 8, "<q"),
        ("unsigned long", "u", 8, "<Q"),
        ("long long", "i", 8, "<q"),
        ("unsigned long long", "u", 8, "<Q"),
        ("_Float16", "f", 2, "<e"),
        ("float", "f", 4, "<f"),
        ("double", "f", 8, "<d"),
        ("long double", "f", 16, None),
    )
}
_ADDRESS: Final = Builtin(name="pointer", kinds="ui", size=POINTER_SIZE, code="<Q")


def read_meaning(param: Param) -> Meaning:
    """What ``param`` is: an arithmetic type, a pointer, or None for anything else.

    Unknown types, structures and enumerations are all None: only their size is known.
    """
    if param.type is None:
        return None
    name = _without_qualifiers(param.type)
    if name.endswith("*") or "(*" in name:
        return _read_pointer(name) if param.size == POINTER_SIZE else None
    builtin = _BUILTINS.get(name)
    return builtin if builtin and builtin.size == param.size else None


def _read_pointer(name: str) -> Pointer:
    if not name.endswith("*"):  # to a function or an array
        return Pointer(pointee=None, is_to_const=False)
    pointee = name[:-1]
    unqualified = _without_qualifiers(pointee)
    is_to_pointer = unqualified.endswith("*")
    return Pointer(
        pointee=_ADDRESS if is_to_pointer else _BUILTINS.get(unqualified),
        is_to_const=_ends_in_const(pointee) or (pointee.startswith("const ") and not is_to_pointer),
    )


def _ends_in_const(name: str) -> bool:
    for word in reversed(name.split()):
        if word not in _QUALIFIERS:
            return False
        if word == "const":
            return True
    return False


def _without_qualifiers(name: str) -> str:
    return " ".join(word for word in name.split() if word not in _QUALIFIERS)
