"""Declarations in PTX: the type, size and alignment of a parameter or variable.

Source: "Parallel Thread Execution ISA", "State Spaces, Types, and Variables".
"""

from __future__ import annotations

import math
import re
from typing import Final

from kbuild.errors import InputError
from kbuild.values import dataclass

_TOKEN: Final = re.compile(r"[.\w$%:]+|\[[^\[\]]*\]", re.ASCII)
# Matches nine of ten declarations: a scalar, or a pointer with attributes of its target.
_SCALAR: Final = re.compile(
    r"\s*\.\w+\s+\.([a-z]+\d+)\s+(?:\.ptr\s+(?:\.\w+\s+)?\.align\s+\d+\s+)?([A-Za-z_$%][\w$]*)\s*",
    re.ASCII,
)
_SIZES: Final = {
    **{f"{kind}{bits}": bits // 8 for kind in "subf" for bits in (8, 16, 32, 64)},
    "b128": 16,
    "f16x2": 4,
    "bf16": 2,
    "bf16x2": 4,
    # Opaque types are handles.
    **dict.fromkeys(("texref", "samplerref", "surfref"), 8),
}
OPAQUE: Final = frozenset(("texref", "samplerref", "surfref"))
_VECTORS: Final = {"v2": 2, "v4": 4, "v8": 8}
_MOST_DIGITS: Final = 20
_MOST_DIMENSIONS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """The declaration of one name. ``size`` is the size of all elements together.

    ``size`` is None if it is unknown; ``count`` is None for a scalar, or an array of unknown
    length.
    """

    name: str
    type: str
    size: int | None
    count: int | None
    alignment: int


def read_scalar(text: str) -> tuple[str, str, int] | None:
    """Return the name, type, and size of a scalar parameter; None for other declarations."""
    scalar = _SCALAR.fullmatch(text)
    size = _SIZES.get(scalar[1]) if scalar else None
    return (scalar[2], scalar[1], size) if scalar and size else None


def read_declaration(text: str) -> Declaration:
    """Read a declaration, for example ``.align 8 .b8 name[48]``.

    Raises:
        InputError: The declaration has no name or too many dimensions, or a number is invalid.
    """
    name, alignment = "", None
    kind, vector, dimensions = "", 1, []
    is_pointee = False
    tokens = iter(_TOKEN.findall(text))
    for token in tokens:
        word = token[1:]
        if word == "align":
            number = read_number(next(tokens, ""))
            # After `.ptr`, the number is the alignment of the pointer's target.
            alignment = alignment if is_pointee else number
        elif token.startswith("["):
            dimensions.append(read_number(word[:-1].strip()) if word[:-1].strip() else None)
        elif token.startswith("."):
            is_pointee = is_pointee or word == "ptr"
            vector = _VECTORS.get(word, vector)
            kind = word if word in _SIZES else kind
        else:
            name = token
    if not name:
        raise InputError("the declaration has no name")
    if len(dimensions) > _MOST_DIMENSIONS:
        raise InputError(
            f"the array has {len(dimensions)} dimensions; the limit is {_MOST_DIMENSIONS}"
        )
    element = _SIZES[kind] * vector if kind else None
    lengths = [length for length in dimensions if length is not None]
    count = math.prod(lengths) if len(lengths) == len(dimensions) else None
    return Declaration(
        name=name,
        type=kind,
        size=element * count if element is not None and count is not None else None,
        count=count if dimensions else None,
        alignment=max(alignment or element or 1, 1),
    )


def read_number(text: str) -> int:
    """Return the decimal number in ``text``.

    Raises:
        InputError: The text is not a decimal number, or has too many digits.
    """
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS:
        raise InputError(f"'{shorten(text)}' is not a decimal number")
    return int(text)


def shorten(text: str, limit: int = 60) -> str:
    """Return the beginning of ``text`` on one line, for use in messages."""
    return " ".join(text[: 4 * limit].split())[:limit]
