"""The sources of ``tests/conformance``, and how what they print is compared."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

_DIRECTORY: Final = Path(__file__).parent.parent / "conformance"
SOURCES: Final = tuple(sorted(_DIRECTORY.glob("*.cu")))
# Kernels of these sources launch kernels, for which a GPU needs relocatable device code.
LAUNCHING: Final = frozenset(("dynamic_parallelism",))
_FORMATS: Final = {
    "half": ("<H", "<h"),
    "bfloat16": ("<H", "<h"),
    "float": ("<I", "<i"),
    "double": ("<Q", "<q"),
}


def compare_results(printed: str, recorded: str) -> list[str]:
    """Return one message per function whose results are not those of the recorded device.

    Args:
        printed: What a program of ``tests/conformance`` printed.
        recorded: What it printed on a GPU.
    """
    ours, theirs = _read_lines(printed), _read_lines(recorded)
    missing = [f"{name}: not printed" for name in theirs if name not in ours]
    return missing + [
        f"{name}: {difference}"
        for name, words in ours.items()
        if (difference := _find_difference(words, theirs.get(name)))
    ]


def _read_lines(text: str) -> dict[str, list[str]]:
    return {line.split()[0]: line.split()[1:] for line in text.splitlines()}


def _find_difference(ours: list[str], theirs: list[str] | None) -> str:
    if theirs is None:
        return "not recorded on a GPU"
    if ours == theirs:
        return ""
    if ours[0] not in _DISTANCES or ours[:3] != theirs[:3] or len(ours) != len(theirs):
        return f"expected {' '.join(theirs[:3])}, got {' '.join(ours[:3])}"
    bound, limit, kind = ours[:3]
    for number, pair in enumerate(zip(ours[3:], theirs[3:], strict=True)):
        distance = _DISTANCES[bound](int(pair[0], 16), int(pair[1], 16), kind)
        if not distance <= float(limit):
            return f"result {number} is {pair[0]}, expected {pair[1]}: not {bound} {limit}"
    return ""


def _count_ulps(first: int, second: int, kind: str) -> int:
    """Return the number of floating-point numbers between two bit patterns."""
    return abs(_order(first, kind) - _order(second, kind))


def _order(bits: int, kind: str) -> int:
    """Map bit patterns to integers in the order of the numbers; both zeros are 0."""
    unsigned, signed = _FORMATS[kind]
    value: int
    (value,) = struct.unpack(signed, struct.pack(unsigned, bits))
    sign = -1 << (struct.calcsize(unsigned) * 8 - 1)
    return value if value >= 0 else sign - value


def _subtract(first: int, second: int, _kind: str) -> float:
    """Return the difference of two floats; 0 if they have the same bits, such as two NaNs."""
    if first == second:
        return 0
    numbers: tuple[float, float] = struct.unpack("<2f", struct.pack("<2I", first, second))
    return abs(numbers[0] - numbers[1])


_DISTANCES: Final[dict[str, Callable[[int, int, str], float]]] = {
    "ulp": _count_ulps,
    "within": _subtract,
}
