"""The values that describe function signatures and the types in them."""

from __future__ import annotations

from typing import Literal

from kbuild.values import dataclass

TypeKind = Literal[
    "signed",
    "unsigned",
    "bool",
    "float",
    "complex",
    "pointer",
    "reference",
    "vector",
    "record",
    "union",
    "unknown",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A data member or base class. ``count`` is the number of elements; None if not an array.

    ``offset`` is in bytes. The ``bit_offset`` of a bit-field counts from ``offset``.
    ``alignment`` is the alignment that the member requests in addition to that of its type.
    """

    offset: int
    type: ValueType
    count: int | None = None
    bit_size: int | None = None
    bit_offset: int = 0
    alignment: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType:
    """The properties of a type that matter for passing it by value.

    ``name`` is spelled like the output of a demangler. ``size`` and ``alignment`` are in bytes.
    A vector has one member, the array of its elements. ``is_by_reference`` tells whether a call
    passes the address of a copy, which the caller constructs (Itanium ABI 3.1.2.3). If values of
    the type cannot be passed, ``obstacle`` is the reason, which completes a sentence that ends with
    "which".
    """

    kind: TypeKind
    name: str
    size: int
    alignment: int
    members: tuple[Member, ...] = ()
    is_by_reference: bool = False
    obstacle: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A formal parameter of a function. ``name`` is None if the source does not name it."""

    name: str | None
    type: ValueType


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """The parameters and the result type of a function. ``result`` is None for void.

    ``place`` is the file and the line of its declaration, or empty if it is unknown.
    """

    parameters: tuple[Parameter, ...]
    result: str | None = None
    is_variadic: bool = False
    place: str = ""
