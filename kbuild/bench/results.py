"""What ``kbuild bench launch`` finds out, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# What functions of a stripped library, whose names are not known, are called together.
INSIDE: Final = "inside "


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedWay:
    """One way to launch: ``instructions`` from its call site to ``entry`` and back.

    Those of the entry are not in it.  ``excess`` is what it costs above the call by hand of
    the same entry, None where it is that; ``passed`` are the functions entered on the way,
    ``stand_ins`` those of them that the benchmark put in the runtime's place.
    """

    name: str
    entry: str
    instructions: int
    excess: int | None
    passed: tuple[str, ...]
    stand_ins: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCompiler:
    """The ways, as one host compiler makes them."""

    compiler: str
    ways: tuple[CountedWay, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedWay:
    """Median nanoseconds; median and quartiles of the ratios to the first way's, by batch."""

    name: str
    nanoseconds: float
    ratio: float
    low: float
    high: float
    batches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedMode:
    """One thing that was timed, in every way of it."""

    name: str
    ways: tuple[TimedWay, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """Times on one device."""

    device: str
    modes: tuple[TimedMode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchReport:
    """All of it.

    ``counted`` is empty, and ``valgrind`` None, where nothing was counted; ``timing`` is None
    where nothing was timed.  ``left_out`` says why, where it was not the user's wish.
    """

    backend: str
    options: str
    valgrind: str | None
    counted: tuple[CountedCompiler, ...]
    timing: Timing | None = None
    left_out: tuple[str, ...] = ()
