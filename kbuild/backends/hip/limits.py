"""The limits of AMD's runtime and devices.

Sources: LLVM's AMDGPU back end (``AddressableLocalMemorySize`` in ``AMDGPU.td`` and the
``lds-size-hsa``/``lds-limit`` tests); ROCm/clr, ``hipamd/src/hip_code_object.cpp``.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.hip.architectures import parse
from kbuild.backends.interface.limits import DeviceLimits, Requirement
from kbuild.errors import ConfigurationError
from kbuild.model import Compression

# The runtime's sources contain the magic of compressed bundles since the tag rocm-6.2.0 (commit
# d0050ce30). RCCL requires the same version for --offload-compress.
_COMPRESSED: Final = Requirement(part="runtime", version="6.2", name="ROCm 6.2")

_ARCH: Final = re.compile(r"gfx(?P<number>[0-9]+[0-9a-f]{2}|[0-9]+(?:-[0-9]+)*-generic)(?::.*)?")
_LDS_BYTES: Final = 64 << 10
_LARGER_LDS_BYTES: Final = {"950": 160 << 10, "1250": 320 << 10}
# Relatives of gfx1250. No source states their limit.
_UNKNOWN: Final = re.compile(r"125[1-9a-f]|12-5-generic")
# "HIP documentation", "Hardware features": the largest block of all devices.
_LARGEST_BLOCK: Final = 1024
# Older generations have less, and the limit of newer ones is unknown.
_FIRST: Final = 7
_LAST: Final = 12


def _find_requirement(compression: Compression) -> Requirement | None:
    return _COMPRESSED if compression in ("zstd", "zlib") else None


def _shared_bytes(arch: str) -> int | None:
    match = _ARCH.fullmatch(arch)
    if match is None or _UNKNOWN.fullmatch(match["number"]):
        return None
    number = match["number"]
    if number in _LARGER_LDS_BYTES:
        return _LARGER_LDS_BYTES[number]
    major = number.partition("-")[0] if "-" in number else number[:-2]
    return _LDS_BYTES if _FIRST <= int(major) <= _LAST else None


def _name_images(arch: str) -> tuple[str, ...]:
    try:
        return (parse(arch).name,)
    except ConfigurationError:
        return ()


def _list_limit_options(
    _: str, block_size: int | None, max_registers: int | None
) -> tuple[str, ...]:
    if max_registers is not None:
        raise ConfigurationError(
            "max_registers is not supported on HIP, because clang has no such option; use "
            "block_size, or __attribute__((amdgpu_num_vgpr(N))) in the source"
        )
    return () if block_size is None else (f"--gpu-max-threads-per-block={block_size}",)


LIMITS: Final = DeviceLimits(
    images_of=_name_images,
    requirement_of=_find_requirement,
    shared_bytes_of=_shared_bytes,
    limit_options=_list_limit_options,
    largest_block=_LARGEST_BLOCK,
)
