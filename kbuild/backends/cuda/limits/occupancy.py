"""How many threads of a kernel a multiprocessor of NVIDIA runs at the same time.

Sources: `cudaOccMaxActiveBlocksPerMultiprocessor` of ``cuda_occupancy.h``, and
``cuda/__device/arch_traits.h`` of CCCL, release 13.4. A test compares all results with these
headers.
"""

from __future__ import annotations

from typing import Final

from kbuild.backends.interface.limits import Occupancy
from kbuild.model import Resources
from kbuild.values import dataclass

_WARP: Final = 32
_REGISTER_UNIT: Final = 256
# CUDA reserves shared memory for each block from compute capability 8.0 on.
_RESERVED_SINCE: Final = 80
_RESERVED: Final = 1024
_SHARED_UNIT: Final = 128
_OLD_SHARED_UNIT: Final = 256


@dataclass(frozen=True, slots=True, kw_only=True)
class _Multiprocessor:
    """What blocks share: threads, blocks, and shared memory in KiB; then the registers' parts."""

    threads: int
    blocks: int
    shared: int
    registers: int = 1 << 16
    block_registers: int = 1 << 16
    parts: int = 4


_MULTIPROCESSORS: Final = {
    "50": _Multiprocessor(threads=2048, blocks=32, shared=64),
    "52": _Multiprocessor(threads=2048, blocks=32, shared=96),
    "53": _Multiprocessor(threads=2048, blocks=32, shared=64, block_registers=1 << 15),
    "60": _Multiprocessor(threads=2048, blocks=32, shared=64, parts=2),
    "61": _Multiprocessor(threads=2048, blocks=32, shared=96),
    "62": _Multiprocessor(threads=2048, blocks=32, shared=64, block_registers=1 << 15),
    "70": _Multiprocessor(threads=2048, blocks=32, shared=96),
    "75": _Multiprocessor(threads=1024, blocks=16, shared=64),
    "80": _Multiprocessor(threads=2048, blocks=32, shared=164),
    "86": _Multiprocessor(threads=1536, blocks=16, shared=100),
    "87": _Multiprocessor(threads=1536, blocks=16, shared=164),
    "89": _Multiprocessor(threads=1536, blocks=24, shared=100),
    "90": _Multiprocessor(threads=2048, blocks=32, shared=228),
    "100": _Multiprocessor(threads=2048, blocks=32, shared=228),
    "103": _Multiprocessor(threads=2048, blocks=32, shared=228),
    "110": _Multiprocessor(threads=1536, blocks=24, shared=228),
    "120": _Multiprocessor(threads=1536, blocks=24, shared=100),
    "121": _Multiprocessor(threads=1536, blocks=24, shared=100),
}


def find_occupancy(number: str, resources: Resources, threads: int) -> Occupancy | None:
    """Return the occupancy of a kernel in blocks of ``threads``, without dynamic shared memory.

    None means that the architecture, such as ``90``, or the resources are unknown.
    """
    unit = _MULTIPROCESSORS.get(number)
    if unit is None or resources.registers is None or resources.shared_bytes is None:
        return None
    warps = -(-threads // _WARP)
    blocks = min(
        unit.blocks,
        unit.threads // _WARP // warps,
        _fit_registers(unit, resources.registers, warps),
        _fit_shared(unit, int(number), resources.shared_bytes),
    )
    return Occupancy(block=threads, resident=blocks * warps * _WARP, most=unit.threads)


def _fit_registers(unit: _Multiprocessor, registers: int, warps: int) -> int:
    """Return how many blocks of ``warps`` warps the registers are enough for."""
    if registers == 0:
        return unit.blocks
    per_warp = _round_up(registers * _WARP, _REGISTER_UNIT)
    if per_warp * _round_up(warps, unit.parts) > unit.block_registers:
        return 0
    return unit.registers // unit.parts // per_warp * unit.parts // warps


def _fit_shared(unit: _Multiprocessor, number: int, used: int) -> int:
    is_new = number >= _RESERVED_SINCE
    size = used + (_RESERVED if is_new else 0)
    rounded = _round_up(size, _SHARED_UNIT if is_new else _OLD_SHARED_UNIT)
    return (unit.shared << 10) // rounded if rounded else unit.blocks


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
