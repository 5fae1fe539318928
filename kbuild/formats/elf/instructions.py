"""The lengths of x86-64 instructions.

Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and
appendix A.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

_SIB, _DISP = 4, 5  # numbers of registers that mean something else in ModRM bytes


def _choose(values: Iterable[int]) -> str:
    return "[" + "".join(rf"\x{value:02x}" for value in values) + "]"


def _address(registers: Iterable[int] = range(8)) -> str:
    """Return a pattern of a ModRM byte with some values in its middle, and what belongs to it."""

    def list_bytes(mode: int, bases: Iterable[int]) -> str:
        return _choose(mode << 6 | r << 3 | base for r in registers for base in bases)

    plain = [base for base in range(8) if base != _SIB]
    no_base = _choose(byte for byte in range(256) if byte & 7 == _DISP)
    has_base = _choose(byte for byte in range(256) if byte & 7 != _DISP)
    alternatives = (
        list_bytes(3, range(8)),
        list_bytes(0, [base for base in plain if base != _DISP]),
        f"{list_bytes(0, [_DISP])}.{{4}}",
        f"{list_bytes(0, [_SIB])}(?:{has_base}|{no_base}.{{4}})",
        f"{list_bytes(1, plain)}.",
        f"{list_bytes(1, [_SIB])}..",
        f"{list_bytes(2, plain)}.{{4}}",
        f"{list_bytes(2, [_SIB])}.{{5}}",
    )
    return f"(?:{'|'.join(alternatives)})"


_PREFIXES: Final = r"[\x26\x2e\x36\x3e\x64-\x67\xf0\xf2\xf3]*"
_ANY: Final = _address()
_BYTE_OPERANDS: Final = r"[\x70-\x73\xc2\xc4-\xc6]"  # of the opcodes behind 0F
# The opcodes whose operand has 2 bytes behind the prefix 66, and otherwise 4.
_WIDE: Final = rf"""(?:
      [\x05\x0d\x15\x1d\x25\x2d\x35\x3d\x68\xa9\xb8-\xbf]
    | [\x69\x81\xc7]{_ANY} | \xf7{_address((0, 1))}
)"""
_ONE_BYTE: Final = rf"""(?:
      (?P<indirect>\xff){_address((2, 3, 4, 5))}
    | [\x50-\x5f\x6c-\x6f\x90-\x99\x9b-\x9f\xa4-\xa7\xaa-\xaf\xc3\xc9\xcb\xcc\xcf\xd7]
    | [\xec-\xef\xf1\xf4\xf5\xf8-\xfd]
    | [\x04\x0c\x14\x1c\x24\x2c\x34\x3c\x6a\x70-\x7f\xa8\xb0-\xb7\xcd\xe0-\xe7\xeb].
    | [\xc2\xca].. | \xc8... | [\xe8\xe9].{{4}} | [\xa0-\xa3].{{8}}
    | [\x00-\x03\x08-\x0b\x10-\x13\x18-\x1b\x20-\x23\x28-\x2b\x30-\x33\x38-\x3b\x63\x84-\x8e]{_ANY}
    | [\xd0-\xd3\xd8-\xdf\xfe\xff]{_ANY} | \x8f{_address((0,))} | [\xf6\xf7]{_address(range(2, 8))}
    | (?:[\x6b\x80\x83\xc0\xc1\xc6]{_ANY}|\xf6{_address((0, 1))}).
)"""
_TWO_BYTES: Final = rf"""\x0f(?:
      [\x05-\x09\x0b\x0e\x30-\x35\x37\x77\xa0-\xa2\xa8-\xaa\xc8-\xcf]
    | [\x80-\x8f].{{4}}
    | (?:{_BYTE_OPERANDS}|[\xa4\xac\xba]){_ANY}.
    | [\x00-\x03\x0d\x10-\x23\x28-\x2f\x40-\x6f\x74-\x76\x78-\x7f\x90-\x9f\xa3\xa5\xab]{_ANY}
    | [\xad-\xb9\xbb-\xc1\xc3\xc7\xd0-\xff]{_ANY}
    | \x38.{_ANY} | \x3a.{_ANY}.
)"""


def _vector(maps: dict[int, str]) -> str:
    """Return a pattern of the rest of a vector instruction, by the number of its opcode map."""
    opcodes = {
        1: f"(?:\\x77|{_BYTE_OPERANDS}{_ANY}.|(?!\\x77|{_BYTE_OPERANDS}).{_ANY})",
        2: f".{_ANY}",
        3: f".{_ANY}.",
        5: f".{_ANY}",
        6: f".{_ANY}",
    }
    return "|".join(f"{start}{opcodes[number]}" for number, start in maps.items())


_SHORT_VEX: Final = _vector({1: r"\xc5."})
_VEX: Final = _vector(
    {n: rf"\xc4{_choose(b for b in range(256) if b & 31 == n)}." for n in (1, 2, 3)}
)
_EVEX: Final = _vector(
    {n: rf"\x62{_choose(b for b in range(256) if b & 7 == n)}.." for n in (1, 2, 3, 5, 6)}
)
#: An instruction. The group ``indirect`` is the opcode of a call or jump through a pointer.
INSTRUCTION: Final = re.compile(
    rf"""
      {_PREFIXES}[\x48-\x4f][\xb8-\xbf].{{8}}
    | {_PREFIXES}\x66{_PREFIXES}[\x40-\x47]?{_WIDE}..
    | {_PREFIXES}[\x40-\x4f]?(?:{_ONE_BYTE}|{_WIDE}.{{4}}|{_TWO_BYTES})
    | {_PREFIXES}(?:{_SHORT_VEX}|{_VEX}|{_EVEX})
    """.encode(),
    re.VERBOSE | re.DOTALL,
)
