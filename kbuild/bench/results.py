"""The results of ``kbuild bench launch``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

# The prefix that names all unnamed functions of a stripped library together.
INSIDE: Final = "inside "


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedWay:
    """The instructions of one way to launch, from its call site to ``entry`` and back.

    The instructions of the entry itself are not included. ``excess`` is the difference from a
    handwritten call of the same entry, and None for the handwritten call. ``passed`` are the
    functions entered on the way. ``stand_ins`` are those of them with which the benchmark replaces
    the runtime.
    """

    name: str
    entry: str
    instructions: int
    excess: int | None
    passed: tuple[str, ...]
    stand_ins: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedCompiler:
    """The counts of one host compiler."""

    compiler: str
    ways: tuple[CountedWay, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedWay:
    """The time of one way to launch.

    ``nanoseconds`` is the median. ``ratio``, ``low``, and ``high`` are the median and quartiles of
    the ratios to the first way in the same batch.
    """

    name: str
    nanoseconds: float
    ratio: float
    low: float
    high: float
    batches: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedMode:
    """The times of every way in one mode, for example warm launches."""

    name: str
    ways: tuple[TimedWay, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """The times on one device."""

    device: str
    modes: tuple[TimedMode, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchReport:
    """All results.

    If nothing was counted, ``counted`` is empty and ``valgrind`` is None. If nothing was timed,
    ``timing`` is None. ``left_out`` gives the reasons, unless the user did not request it.
    """

    backend: str
    options: str
    valgrind: str | None
    counted: tuple[CountedCompiler, ...]
    timing: Timing | None = None
    left_out: tuple[str, ...] = ()
