"""The ``limits`` capability: facts about devices and drivers that only their vendor knows.

None always means *unknown*: a rule that gets None does not judge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Literal, TypeAlias

from kbuild.model import Compression, Resources
from kbuild.values import dataclass

Version: TypeAlias = tuple[int, ...]


def parse_version(text: str) -> Version:
    """Parse ``"12.4"`` to ``(12, 4)``. Trailing zeros do not count: ``"13"`` equals ``"13.0"``."""
    numbers = [int(part) for part in text.split(".")]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """The oldest driver or runtime library that supports a feature.

    Attributes:
        part: The driver or the library.
        version: Its version, for comparing.
        name: Its version as people know it.
    """

    part: Literal["driver", "runtime"]
    version: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Occupancy:
    """How many threads of a kernel run on a multiprocessor at the same time.

    Attributes:
        block: The number of threads per block for which this holds.
        resident: The threads of all blocks that fit.
        most: The most threads that a multiprocessor of this architecture runs.
    """

    block: int
    resident: int
    most: int


def _unknown(*_: object) -> None:
    return None


def _no_images(_: str) -> tuple[str, ...]:
    return ()


def _no_options(*_: object) -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceLimits:
    """The limits of the devices and drivers of one vendor.

    Attributes:
        images_of: Returns the vendor's names of the images for an architecture, however
            ARCHITECTURES can spell it; an empty tuple for a name that is not an architecture.
        has_portable_code: Whether there are images that a driver compiles, such as PTX.
        driver_of: Returns the driver that a language version of portable code needs.
        usable_by: ``usable_by(device, architectures)`` returns the architectures whose images a
            device of this architecture runs, by the vendor's rules, the one that it uses first;
            None for a name that is not an architecture of a device.
        order_of: Returns a key that orders the architectures of real images by age; None for
            a name that is not an architecture.
        runs_on_newer: ``runs_on_newer(portable, real)`` tells whether an image for the
            architecture ``portable`` has code for devices that are newer than ``real``.
        requirement_of: Returns what an image with this compression needs.
        object_requirement_of: Returns what a code object of this version needs.
        runtime_before: Returns a version that the runtime library of a name is older than; None
            for another library.
        shared_bytes_of: Returns the most static shared memory that a kernel can have, in bytes.
        launch_problem: Tells why no launch of the largest block that a kernel declares can
            succeed; None if it can.
        most_threads_of: Returns the largest block with which a kernel can be launched.
        occupancy_of: ``occupancy_of(arch, resources, threads)`` returns the occupancy for blocks of
            ``threads`` threads.
        registers_of: ``registers_of(arch, threads)`` returns the most registers per thread with
            which blocks of ``threads`` threads can be launched.
        limit_options: ``limit_options(arch, block_size, max_registers)`` returns the compiler's
            options for kernels that are launched with blocks of up to ``block_size`` threads and
            at most ``max_registers`` registers per thread. ``arch`` is written as in ARCHITECTURES.
            Raises ConfigurationError if the compiler cannot do this.
        limit_in: Returns the most registers per thread that the compiler's options allow; None if
            they do not limit registers.
        largest_block: The largest block of any kernel, in threads.
        block_unit: The number of threads for which a device allocates registers together.
    """

    images_of: Callable[[str], tuple[str, ...]] = _no_images
    has_portable_code: bool = False
    driver_of: Callable[[str], str | None] = _unknown
    usable_by: Callable[[str, Iterable[str]], tuple[str, ...] | None] = _unknown
    order_of: Callable[[str], Version | None] = _unknown
    runs_on_newer: Callable[[str, str], bool] | None = None
    requirement_of: Callable[[Compression], Requirement | None] = _unknown
    object_requirement_of: Callable[[str], Requirement | None] = _unknown
    runtime_before: Callable[[str], str | None] = _unknown
    shared_bytes_of: Callable[[str], int | None] = _unknown
    launch_problem: Callable[[str, Resources], str | None] = _unknown
    most_threads_of: Callable[[str, Resources], int | None] = _unknown
    occupancy_of: Callable[[str, Resources, int], Occupancy | None] = _unknown
    registers_of: Callable[[str, int], int | None] = _unknown
    limit_options: Callable[[str, int | None, int | None], tuple[str, ...]] = _no_options
    limit_in: Callable[[tuple[str, ...]], int | None] = _unknown
    largest_block: int | None = None
    block_unit: int = 1


UNKNOWN: Final = DeviceLimits()
