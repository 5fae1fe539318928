"""Target ids of AMDGPU code objects, read from the flags of the ELF header.

Sources: "ELF Code Object" in LLVM's "User Guide for AMDGPU Backend", tables of
``EF_AMDGPU_MACH`` and of ``e_flags``; ``llvm/BinaryFormat/ELF.h``.
"""

from __future__ import annotations

from typing import Final

_MACH: Final = 0xFF
_GFX: Final = {
    0x20: "600",
    0x21: "601",
    0x3A: "602",
    0x22: "700",
    0x23: "701",
    0x24: "702",
    0x25: "703",
    0x26: "704",
    0x3B: "705",
    0x28: "801",
    0x29: "802",
    0x2A: "803",
    0x3C: "805",
    0x2B: "810",
    0x2C: "900",
    0x2D: "902",
    0x2E: "904",
    0x2F: "906",
    0x30: "908",
    0x31: "909",
    0x3F: "90a",
    0x32: "90c",
    0x40: "940",
    0x4B: "941",
    0x4C: "942",
    0x4F: "950",
    0x33: "1010",
    0x34: "1011",
    0x35: "1012",
    0x42: "1013",
    0x36: "1030",
    0x37: "1031",
    0x38: "1032",
    0x39: "1033",
    0x3E: "1034",
    0x3D: "1035",
    0x45: "1036",
    0x41: "1100",
    0x46: "1101",
    0x47: "1102",
    0x44: "1103",
    0x43: "1150",
    0x4A: "1151",
    0x55: "1152",
    0x58: "1153",
    0x57: "1154",
    0x5D: "1170",
    0x5E: "1171",
    0x5C: "1172",
    0x48: "1200",
    0x4E: "1201",
    0x49: "1250",
    0x5A: "1251",
    0x50: "1310",
    0x51: "9-generic",
    0x5F: "9-4-generic",
    0x52: "10-1-generic",
    0x53: "10-3-generic",
    0x54: "11-generic",
    0x59: "12-generic",
    0x5B: "12-5-generic",
}

_XNACK: Final = 0x300
_SRAMECC: Final = 0xC00
# 0 means not supported and 1 means any; a target id mentions neither.
_SELECTIONS: Final = ("", "", "-", "+")

# Up to version 3, each feature has one bit, which has no meaning on targets without it.
_OLD_XNACK: Final = 0x100
_OLD_SRAMECC: Final = 0x200
_HAS_XNACK: Final = frozenset(
    (
        *("801", "810", "900", "902", "904", "906", "908", "909", "90a", "90c"),
        *("1010", "1011", "1012", "1013"),
    )
)
_HAS_SRAMECC: Final = frozenset(("906", "908", "90a"))
_FIRST_WITH_SELECTIONS: Final = 4


def list_processors() -> tuple[str, ...]:
    """Return every processor that has a number, for example ``gfx90a``."""
    return tuple(f"gfx{number}" for number in _GFX.values())


def read_processor(flags: int) -> str | None:
    """Return the processor that ``e_flags`` names, for example ``gfx90a``; None if unknown."""
    number = _GFX.get(flags & _MACH)
    return f"gfx{number}" if number else None


def read_target_id(flags: int, version: int) -> str | None:
    """Return the target id of a code object, for example ``gfx90a:sramecc+:xnack-``.

    Args:
        flags: The ``e_flags`` of the ELF header.
        version: The code object version, which decides the meaning of the flags.

    Returns:
        The target id, or None if the processor is unknown.
    """
    number = _GFX.get(flags & _MACH)
    if number is None:
        return None
    if version >= _FIRST_WITH_SELECTIONS:
        sramecc = _SELECTIONS[(flags & _SRAMECC) >> 10]
        xnack = _SELECTIONS[(flags & _XNACK) >> 8]
    else:
        sramecc = _sign(flags & _OLD_SRAMECC) if number in _HAS_SRAMECC else ""
        xnack = _sign(flags & _OLD_XNACK) if number in _HAS_XNACK else ""
    features = (f":sramecc{sramecc}" if sramecc else "", f":xnack{xnack}" if xnack else "")
    return f"gfx{number}" + "".join(features)


def _sign(bit: int) -> str:
    return "+" if bit else "-"
