"""C++ parameter types, as far as hosts in other languages can pass values of them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Final, TypeAlias

from kbuild.model import Param

POINTER_SIZE: Final = 8

_QUALIFIERS: Final = frozenset({"const", "volatile", "__restrict__", "__restrict", "restrict"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticType:
    """A builtin arithmetic type.

    Attributes:
        name: The C++ name.
        kinds: The kinds of number that it holds, as NumPy letters: ``b`` (bool), ``i`` (signed),
            ``u`` (unsigned), ``f`` (floating point).
        size: The size in bytes.
        code: The :mod:`struct` format character, or None if :mod:`struct` does not support
            the type.
    """

    name: str
    kinds: str
    size: int
    code: str | None

    @property
    def dtype(self) -> str:
        """The NumPy type that messages suggest."""
        if self.kinds == "b":
            return "numpy.bool_"
        word = {"i": "int", "u": "uint", "f": "float"}[self.kinds[0]]
        return f"numpy.{word}{8 * self.size}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerType:
    """A pointer; ``pointee`` is None if arrays of any type can be behind it."""

    pointee: ArithmeticType | None
    is_to_const: bool

    @property
    def elements(self) -> tuple[str, ...]:
        """The arrays that can be behind it, as NumPy's letters with a size; empty for all."""
        if self.pointee is None:
            return ()
        return tuple(f"{kind}{self.pointee.size}" for kind in self.pointee.kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorType:
    """A vector type of CUDA, such as ``float4``, or ``dim3``."""

    element: ArithmeticType
    length: int


# None stands for structures, enumerations, and unknown types: only their size is known.
ParameterType: TypeAlias = ArithmeticType | PointerType | None

# Plain char is signed on x86 and unsigned on Arm; arrays of it can be either. Windows, where no
# kernel runs, does not have the function.
_MACHINE: Final = os.uname().machine if hasattr(os, "uname") else "x86_64"
_CHAR_CODE: Final = "b" if _MACHINE == "x86_64" else "B"
# LP64, the data model of the platforms that kbuild supports.
_ARITHMETIC_TYPES: Final = {
    name: ArithmeticType(name=name, kinds=kinds, size=size, code=code)
    for name, kinds, size, code in (
        ("bool", "b", 1, "?"),
        ("char", "iu", 1, _CHAR_CODE),
        ("signed char", "i", 1, "b"),
        ("unsigned char", "u", 1, "B"),
        ("char8_t", "u", 1, "B"),
        ("short", "i", 2, "h"),
        ("unsigned short", "u", 2, "H"),
        ("char16_t", "u", 2, "H"),
        ("wchar_t", "iu", 4, "i"),
        ("int", "i", 4, "i"),
        ("unsigned int", "u", 4, "I"),
        ("char32_t", "u", 4, "I"),
        ("long", "i", 8, "q"),
        ("unsigned long", "u", 8, "Q"),
        ("long long", "i", 8, "q"),
        ("unsigned long long", "u", 8, "Q"),
        ("_Float16", "f", 2, "e"),
        ("float", "f", 4, "f"),
        ("double", "f", 8, "d"),
        ("long double", "f", 16, None),
    )
}
_VECTOR_NAME: Final = re.compile(
    r"(?P<unsigned>u(?!\w*(?:float|double)))?(?P<word>char|short|int|long|longlong|float|double)"
    r"(?P<length>[1-4])(?:_(?:16|32)a)?"
)
_ADDRESS: Final = ArithmeticType(name="pointer", kinds="ui", size=POINTER_SIZE, code="Q")


def read_parameter_type(param: Param) -> ParameterType:
    """Return the type of ``param``, or None if only its size is known."""
    if param.type is None:
        return None
    name = _remove_qualifiers(param.type)
    if name.endswith("*") or "(*" in name:
        return _read_pointer(name) if param.size == POINTER_SIZE else None
    found = _ARITHMETIC_TYPES.get(name)
    return found if found and found.size == param.size else None


def read_vector_type(param: Param) -> VectorType | None:
    """Return the vector type of ``param``, or None if it has another type."""
    name = _remove_qualifiers(param.type or "")
    match = _VECTOR_NAME.fullmatch("uint3" if name == "dim3" else name)
    if match is None:
        return None
    word = {"longlong": "long long"}.get(match["word"], match["word"])
    signed = {"char": "signed char"}.get(word, word)  # as the headers of CUDA and HIP declare it
    element = _ARITHMETIC_TYPES[f"unsigned {word}" if match["unsigned"] else signed]
    length = int(match["length"])
    # A project can define its own type of this name.
    return (
        VectorType(element=element, length=length) if element.size * length == param.size else None
    )


def _read_pointer(name: str) -> PointerType:
    if not name.endswith("*"):  # a pointer to a function or to an array
        return PointerType(pointee=None, is_to_const=False)
    pointee = name[:-1]
    unqualified = _remove_qualifiers(pointee)
    is_to_pointer = unqualified.endswith("*")
    return PointerType(
        pointee=_ADDRESS if is_to_pointer else _ARITHMETIC_TYPES.get(unqualified),
        is_to_const=_ends_in_const(pointee) or (pointee.startswith("const ") and not is_to_pointer),
    )


def _ends_in_const(name: str) -> bool:
    for word in reversed(name.split()):
        if word not in _QUALIFIERS:
            return False
        if word == "const":
            return True
    return False


def _remove_qualifiers(name: str) -> str:
    return " ".join(word for word in name.split() if word not in _QUALIFIERS)
