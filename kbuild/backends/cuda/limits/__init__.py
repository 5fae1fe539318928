"""The limits of NVIDIA's drivers and devices.

Sources: "PTX ISA", table "PTX Release History" (version and the first CUDA release whose driver
compiles it); "CUDA C++ Programming Guide", "Binary Compatibility" and "PTX Compatibility" about the
devices that run an image, and "Family-Specific Features" about the suffixes ``a`` and ``f``; two
headers of the toolkit, ``cuda_occupancy.h`` (of cudart) and ``cuda/__device/arch_traits.h`` (of
CCCL). The numbers were compared with these headers of release 13.4, and with the behavior of
several releases' ptxas.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kbuild.backends.cuda.architectures import name_images
from kbuild.backends.cuda.limits.occupancy import find_occupancy
from kbuild.backends.interface.limits import DeviceLimits, Occupancy, Requirement, Version
from kbuild.errors import ConfigurationError
from kbuild.model import Compression, Resources

# PTX ISA version: CUDA release of the driver that came with it. The table starts at 10.0, because
# older versions are older than every architecture that toolkits still support. Up to 9.1, the
# numbers are those of cuda-python (`get_minimal_required_cuda_ver_from_ptx_ver`). Measured: the
# newest version that ptxas of 11.8, 12.4, 12.9, and 13.2 to 13.5 accepts.
_CUDA_OF_PTX: Final = {
    "6.3": "10.0",
    "6.4": "10.1",
    "6.5": "10.2",
    "7.0": "11.0",
    "7.1": "11.1",
    "7.2": "11.2",
    "7.3": "11.3",
    "7.4": "11.4",
    "7.5": "11.5",
    "7.6": "11.6",
    "7.7": "11.7",
    "7.8": "11.8",
    "8.0": "12.0",
    "8.1": "12.1",
    "8.2": "12.2",
    "8.3": "12.3",
    "8.4": "12.4",
    "8.5": "12.5",
    "8.6": "12.7",
    "8.7": "12.8",
    "8.8": "12.9",
    "9.0": "13.0",
    "9.1": "13.1",
    "9.2": "13.2",
    "9.3": "13.3",
    "9.4": "13.4",
    "9.5": "13.5",
}

# CUDA 12.4 introduced zstd, and this is its first driver: RAPIDS documents 550.54.14 for the
# compression modes that use zstd (rapids_cuda_enable_fatbin_compression), and the release notes
# of the CUDA toolkit name it as the driver of 12.4.
_ZSTD: Final = Requirement(part="driver", version="12.4", name="12.4 (550.54.14)")

_REAL: Final = re.compile(r"sm_(?P<number>[0-9]{2,3})(?P<suffix>[af]?)")
_VIRTUAL: Final = re.compile(r"compute_(?P<number>[0-9]{2,3})(?P<suffix>[af]?)")

# The devices of Tegra and its successors. They run only images of their own number, and images
# for them run on no other device ("Binary Compatibility" in the guide).
_EMBEDDED: Final = frozenset(("53", "62", "72", "87", "101", "110"))

# The major numbers in the headers. The limits of others are unknown.
_MAJORS: Final = range(5, 13)

# Larger shared memory must be dynamic, on every device: `max_shared_memory_per_block` of
# arch_traits.h. ptxas of 11.8, 12.9, and 13.x reports it ("uses too much shared data (0xc004
# bytes, 0xc000 max)") for sm_35 to sm_121; that of 12.4 accepts any size silently.
_STATIC_SHARED_BYTES: Final = 48 << 10

# `max_registers_per_block` of arch_traits.h.
_BLOCK_REGISTERS: Final = 1 << 16
_FEWER_REGISTERS: Final = {"53": 1 << 15, "62": 1 << 15}
# Registers are allocated per warp, in units (cudaOccRegAllocationGranularity), and a launch must
# fit as if every part of a multiprocessor had the same number of warps
# (cudaOccSubPartitionsPerMultiprocessor, cudaOccMaxBlocksPerSMRegsLimit). ptxas calculates in the
# same way: for blocks of 800 threads (25 warps) it uses at most 72 registers, as for 28 warps.
_WARP: Final = 32
_UNIT: Final = 256
_PARTS: Final = 4
_FEWER_PARTS: Final = {"60": 2}
# "CUDA C++ Programming Guide", "Technical Specifications per Compute Capability"; all have them.
_LARGEST_BLOCK: Final = 1024
_MOST_REGISTERS: Final = 255

_REGISTER_OPTION: Final = re.compile(r"-maxrregcount[= ]([0-9]+)")


def _find_driver(ptx_version: str) -> str | None:
    return _CUDA_OF_PTX.get(ptx_version)


def _order(arch: str) -> Version | None:
    match = _REAL.fullmatch(arch)
    return (int(match["number"]),) if match else None


def _runs_on_newer(portable: str, real: str) -> bool:
    """Return whether PTX runs on newer devices.

    Plain PTX runs on every newer device, PTX of a family on the rest of the family, and
    architecture-specific PTX (``a``) only on its own architecture.
    """
    code, device = _VIRTUAL.fullmatch(portable), _REAL.fullmatch(real)
    if code is None or device is None or code["suffix"] == "a":
        return False
    # The major number of the compute capability is the family.
    return not code["suffix"] or code["number"][:-1] == device["number"][:-1]


def _list_usable(device: str, architectures: Iterable[str]) -> tuple[str, ...] | None:
    """Return the images that a device can use: first real ones, each kind in order of age."""
    match = _REAL.fullmatch(device)
    if match is None:
        return None
    number = match["number"]
    found = ((_rank(arch, number), arch) for arch in architectures)
    ranked = sorted(((rank, arch) for rank, arch in found if rank), reverse=True)
    return tuple(arch for _, arch in ranked)


def _rank(arch: str, device: str) -> tuple[bool, int, str] | None:
    """Return the rank of an image among those that a device can use; None if it cannot."""
    real = _REAL.fullmatch(arch)
    match = real or _VIRTUAL.fullmatch(arch)
    if match is None:
        return None
    number, suffix = match["number"], match["suffix"]
    is_same, is_older = number == device, int(number) <= int(device)
    is_relative = number[:-1] == device[:-1] and is_older
    if real and not suffix:
        is_usable = is_same or (is_relative and _EMBEDDED.isdisjoint((number, device)))
    else:
        is_usable = {"": is_older, "a": is_same, "f": is_relative}[suffix]
    return (bool(real), int(number), suffix) if is_usable else None


def _find_requirement(compression: Compression) -> Requirement | None:
    return _ZSTD if compression == "zstd" else None


def _known_number(arch: str) -> str | None:
    """Return the number of a real architecture whose limits are known."""
    match = _REAL.fullmatch(arch)
    # The last digit is the minor number.
    return match["number"] if match and int(match["number"]) // 10 in _MAJORS else None


def _shared_bytes(arch: str) -> int | None:
    return _STATIC_SHARED_BYTES if _known_number(arch) else None


def _find_launch_problem(arch: str, resources: Resources) -> str | None:
    if resources.registers is None or resources.max_threads is None:
        return None
    number = _known_number(arch)
    if number is None:
        return None
    warps = _round_up(-(-resources.max_threads // _WARP), _FEWER_PARTS.get(number, _PARTS))
    needed = warps * _round_up(resources.registers * _WARP, _UNIT)
    there = _FEWER_REGISTERS.get(number, _BLOCK_REGISTERS)
    if needed <= there:
        return None
    return (
        f"{resources.registers} registers per thread and blocks of {resources.max_threads} "
        f"threads need {needed} registers, but a block has {there}"
    )


def _find_most_threads(arch: str, resources: Resources) -> int | None:
    number = _known_number(arch)
    if number is None or resources.registers is None:
        return resources.max_threads
    parts = _FEWER_PARTS.get(number, _PARTS)
    there = _FEWER_REGISTERS.get(number, _BLOCK_REGISTERS)
    warps = there // max(_round_up(resources.registers * _WARP, _UNIT), 1)
    return min(warps // parts * parts * _WARP, resources.max_threads or _LARGEST_BLOCK)


def _find_registers(arch: str, threads: int) -> int | None:
    """Return the registers for a block; those of PTX are for all devices that can run it."""
    virtual = _VIRTUAL.fullmatch(arch)
    number = _known_number(f"sm_{virtual['number']}" if virtual else arch)
    if number is None:
        return None
    there = _FEWER_REGISTERS.get(number, _BLOCK_REGISTERS)
    if virtual:
        newer = (size for n, size in _FEWER_REGISTERS.items() if int(n) >= int(number))
        there = min((there, *newer))
    warps = _round_up(-(-threads // _WARP), _FEWER_PARTS.get(number, _PARTS))
    return min(there // warps // _UNIT * _UNIT // _WARP, _MOST_REGISTERS)


def _list_limit_options(
    arch: str, block_size: int | None, max_registers: int | None
) -> tuple[str, ...]:
    """Return the register limit as an option, which nvcc and NVRTC spell in the same way."""
    if block_size is None and max_registers is None:
        return ()
    real = next(filter(_REAL.fullmatch, name_images(arch)), None)
    if real is None:
        raise ConfigurationError(
            f"block_size and max_registers need a real architecture, not {arch!r}, because the "
            "driver chooses the registers for PTX; set max_registers of LaunchConfig instead"
        )
    fitting = None if block_size is None else _find_registers(real, block_size)
    if block_size is not None and fitting is None:
        raise ConfigurationError(
            f"the number of registers of {real} is unknown, so block_size has no effect; use "
            "max_registers instead"
        )
    limit = min(value for value in (fitting, max_registers) if value is not None)
    return (f"-maxrregcount={limit}",)


def _read_register_limit(options: tuple[str, ...]) -> int | None:
    found = _REGISTER_OPTION.findall(" ".join(options))
    return int(found[-1]) if found else None


def _find_occupancy(arch: str, resources: Resources, threads: int) -> Occupancy | None:
    match = _REAL.fullmatch(arch)
    return find_occupancy(match["number"], resources, threads) if match else None


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit


LIMITS: Final = DeviceLimits(
    images_of=name_images,
    usable_by=_list_usable,
    has_portable_code=True,
    driver_of=_find_driver,
    order_of=_order,
    runs_on_newer=_runs_on_newer,
    requirement_of=_find_requirement,
    shared_bytes_of=_shared_bytes,
    launch_problem=_find_launch_problem,
    most_threads_of=_find_most_threads,
    occupancy_of=_find_occupancy,
    registers_of=_find_registers,
    limit_options=_list_limit_options,
    limit_in=_read_register_limit,
    largest_block=_LARGEST_BLOCK,
    block_unit=_WARP * _PARTS,
)
