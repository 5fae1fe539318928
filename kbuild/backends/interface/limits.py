"""The seam of what devices and drivers can take: what rules ask that only vendors know.

`kbuild.backends.readers` has one of these for each family of images.  None is always
*unknown*: a rule that gets it does not judge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.model import Compression, Resources

Version: TypeAlias = tuple[int, ...]


def parse_version(text: str) -> Version:
    """``"12.4"`` as ``(12, 4)``; trailing zeros do not matter: ``"13"`` is ``"13.0"``."""
    numbers = [int(part) for part in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """The oldest ``version`` of the driver, or of the runtime library, that will do.

    ``name`` is the version for people, where it has another name besides.
    """

    part: Literal["driver", "runtime"]
    version: str
    name: str


def _nothing_known(_: str) -> None:
    return None


def _no_requirement(_: Compression) -> None:
    return None


def _any_block(_arch: str, _resources: Resources) -> None:
    return None


def _any_launch(_arch: str, _resources: Resources) -> None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLimits:
    """What the devices and drivers of one family can take.

    ``driver_of`` gives the driver that a language version of portable code needs, ``None``
    where that is not known.  ``order_of`` orders the architectures of real images by age,
    ``None`` for what is none; ``runs_on_newer(portable, real)`` says whether devices newer
    than ``real`` have something to run in an image for the architecture ``portable``.
    ``shared_bytes_of`` is the most static shared memory of a kernel, ``launch_problem`` why
    no launch of the largest block that a kernel declares can succeed.  ``most_threads_of`` is the
    largest block that a kernel can be launched with, ``largest_block`` that of any kernel;
    ``block_unit`` is in what steps of threads registers are given to a block.
    """

    has_portable_code: bool = False
    driver_of: Callable[[str], str | None] = _nothing_known
    order_of: Callable[[str], Version | None] = _nothing_known
    runs_on_newer: Callable[[str, str], bool] | None = None
    requirement_of: Callable[[Compression], Requirement | None] = _no_requirement
    shared_bytes_of: Callable[[str], int | None] = _nothing_known
    launch_problem: Callable[[str, Resources], str | None] = _any_launch
    most_threads_of: Callable[[str, Resources], int | None] = _any_block
    largest_block: int | None = None
    block_unit: int = 1
