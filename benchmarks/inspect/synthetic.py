"""A fat binary with as many kernels as requested, to measure how memory grows."""

from __future__ import annotations

import random
import struct
import sys
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from support.files.nvidia_builders import (
    ZSTD,
    CubinBuilder,
    NewEntry,
    attribute,
    container,
    entry,
    param,
)

_ARCHITECTURES: Final = (75, 80, 86, 90, 100)
_KERNELS_PER_IMAGE: Final = 200
_PARAMS: Final = b"".join((param(3, 20, 1), param(2, 16, 4), param(1, 8, 8), param(0, 0, 8)))
_FLAGS: Final = 0x06000004
_REGCOUNT, _FRAME_SIZE, _MIN_STACK_SIZE, _MODULE_INFO = 0x2F, 0x11, 0x12, 0x7000_0000


def write_fat_binary(path: Path, kernels: int) -> None:
    """Write containers with five architectures each, until there are ``kernels`` in total."""
    figures = random.Random(1)  # noqa: S311 - not for security
    with path.open("wb") as file:
        for unit in range(max(kernels // (_KERNELS_PER_IMAGE * len(_ARCHITECTURES)), 1)):
            images = (_make_image(unit, arch, figures) for arch in _ARCHITECTURES)
            file.write(container(*images))


def _make_image(unit: int, arch: int, figures: random.Random) -> bytes:
    cubin = CubinBuilder(flags=_FLAGS | arch << 8)
    info = b""
    for number in range(_KERNELS_PER_IMAGE):
        base = f"block_reduce_{unit:04d}_{number:03d}"
        name = f"_ZN6detail{len(base)}{base}ILi{number}EfSt4plusIfEEEvPKT0_PS3_iT1_"
        symbol = cubin.kernel(name, _PARAMS)
        registers, stack = figures.randrange(16, 256), figures.choice((0, 0, 0, 16, 32))
        for code, value in ((_REGCOUNT, registers), (_FRAME_SIZE, 0), (_MIN_STACK_SIZE, stack)):
            info += attribute(4, code, struct.pack("<II", symbol, value))
    cubin.section(".nv.info", _MODULE_INFO, info)
    return entry(NewEntry(arch=arch, data=cubin.build(), flags=0x11 | ZSTD))
