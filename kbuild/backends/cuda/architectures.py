"""CUDA architectures as CMake's CUDA_ARCHITECTURES means them.

``80`` is real and virtual, ``80-real`` a cubin alone, ``80-virtual`` PTX alone; ``90a``
and ``100f`` are the architecture- and family-specific ones.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from kbuild.errors import ConfigurationError

_PATTERN: Final = re.compile(r"(?P<number>\d+[af]?)(?P<kind>-real|-virtual)?")
_GROUPS: Final = ("all", "all-major", "native")


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One compile edge: a front-end run for ``compute_<number>`` and what comes of it."""

    number: str
    is_real: bool
    is_virtual: bool

    @property
    def real(self) -> str:
        """The cubin's architecture."""
        return f"sm_{self.number}"

    @property
    def virtual(self) -> str:
        """The PTX's architecture."""
        return f"compute_{self.number}"

    @property
    def name(self) -> str:
        """The architecture as CMake writes it."""
        if self.is_real and self.is_virtual:
            return self.number
        return f"{self.number}-{'real' if self.is_real else 'virtual'}"


def parse(name: str) -> Architecture:
    """The architecture called ``name``; ConfigurationError where that is none."""
    match = _PATTERN.fullmatch(name)
    if match is None:
        raise ConfigurationError(
            f"unknown architecture {name!r}; write 80, 80-real, 80-virtual, 90a, or one of "
            f"{', '.join(_GROUPS)}"
        )
    return Architecture(
        number=match["number"],
        is_real=match["kind"] != "-virtual",
        is_virtual=match["kind"] != "-real",
    )


def expand(
    requested: tuple[str, ...], known: tuple[str, ...], devices: tuple[str, ...] = ()
) -> tuple[str, ...]:
    """One name a front-end run: real and virtual requests of one number share it.

    ``known`` are the compiler's ``sm_`` names, ``devices`` those that ``native`` means.
    None requested means the oldest known, whose PTX every newer device can compile.
    Raises ConfigurationError, with the list of known ones, for an architecture that the
    toolkit does not have.
    """
    numbers = sorted((name.removeprefix("sm_") for name in known), key=_order)
    merged: dict[str, tuple[bool, bool]] = {}
    for name in _expand_groups(requested or tuple(numbers[:1]), numbers, devices):
        architecture = parse(name)
        if architecture.number.rstrip("af") not in numbers:
            raise ConfigurationError(
                f"architecture {name!r} is not one that this toolkit knows: {', '.join(numbers)}"
            )
        is_real, is_virtual = merged.get(architecture.number, (False, False))
        merged[architecture.number] = (
            is_real or architecture.is_real,
            is_virtual or architecture.is_virtual,
        )
    return tuple(
        Architecture(number=number, is_real=is_real, is_virtual=is_virtual).name
        for number, (is_real, is_virtual) in merged.items()
    )


def name_native(devices: tuple[str, ...]) -> tuple[str, ...]:
    """The devices' own architectures; ConfigurationError where the driver lists none."""
    own = [device for device in devices if device.startswith("sm_")]
    if not own:
        raise ConfigurationError(
            "architecture native: the driver lists no NVIDIA device here; name the architecture"
        )
    return tuple(f"{device.removeprefix('sm_')}-real" for device in own)


def _expand_groups(
    requested: tuple[str, ...], numbers: list[str], devices: tuple[str, ...]
) -> tuple[str, ...]:
    expanded: list[str] = []
    for name in requested:
        if name == "native":
            expanded += name_native(devices)
        elif name in ("all", "all-major"):
            # CMake: cubins for each, and PTX for the newest alone.
            chosen = [n for n in numbers if name == "all" or n.endswith("0")] or numbers
            chosen = chosen if chosen[0] == numbers[0] else [numbers[0], *chosen]
            expanded += [*(f"{n}-real" for n in chosen), f"{chosen[-1]}-virtual"]
        else:
            expanded.append(name)
    return tuple(expanded)


def _order(number: str) -> int:
    return int(number.rstrip("af"))
