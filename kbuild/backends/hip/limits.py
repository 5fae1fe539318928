"""The limits of AMD's runtime and devices.

Sources: LLVM's AMDGPU back end (``AddressableLocalMemorySize`` in ``AMDGPU.td`` and the
``lds-size-hsa``/``lds-limit`` tests); ROCm/clr, ``hipamd/src/hip_code_object.cpp``; "Target ID" and
"Generic Targets" in LLVM's "User Guide for AMDGPU Backend".
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kbuild.backends.hip.architectures import TargetId, parse
from kbuild.backends.interface.limits import DeviceLimits, Requirement
from kbuild.errors import ConfigurationError
from kbuild.model import Compression

# The runtime's sources contain the magic of compressed bundles since the tag rocm-6.2.0 (commit
# d0050ce30). RCCL requires the same version for --offload-compress.
_COMPRESSED: Final = Requirement(part="runtime", version="6.2", name="ROCm 6.2")
# With version 5, the runtime passes what version 4 reads from the packet of the launch. In ROCm
# 5.2, kernels of version 5 read 0 as the size of their block. AMD's compilers write version 5 by
# default since ROCm 6. Runtimes before 6.3 reject version 6 as invalid (ROCR-Runtime#321).
_OBJECTS: Final = {
    "5": Requirement(part="runtime", version="6.0", name="ROCm 6.0"),
    "6": Requirement(part="runtime", version="6.3", name="ROCm 6.3"),
}
_RUNTIME: Final = re.compile(r"libamdhip64\.so\.(\d+)")

_ARCH: Final = re.compile(r"gfx(?P<number>[0-9]+[0-9a-f]{2}|[0-9]+(?:-[0-9]+)*-generic)(?::.*)?")
# The processors that run code of a generic target, by LLVM's table "AMDGPU Generic Processors".
_GENERIC: Final = {
    "gfx9-generic": ("gfx900", "gfx902", "gfx904", "gfx906", "gfx909", "gfx90c"),
    "gfx9-4-generic": ("gfx940", "gfx941", "gfx942", "gfx950"),
    "gfx10-1-generic": ("gfx1010", "gfx1011", "gfx1012", "gfx1013"),
    "gfx10-3-generic": tuple(f"gfx{number}" for number in range(1030, 1037)),
    "gfx11-generic": (
        *("gfx1100", "gfx1101", "gfx1102", "gfx1103"),
        *("gfx1150", "gfx1151", "gfx1152", "gfx1153"),
    ),
    "gfx12-generic": ("gfx1200", "gfx1201"),
}
_LDS_BYTES: Final = 64 << 10
_LARGER_LDS_BYTES: Final = {"950": 160 << 10, "1250": 320 << 10}
# Relatives of gfx1250. No source states their limit.
_UNKNOWN: Final = re.compile(r"125[1-9a-f]|12-5-generic")
# "HIP documentation", "Hardware features": the largest block of all devices.
_LARGEST_BLOCK: Final = 1024
# Older generations have less, and the limit of newer ones is unknown.
_FIRST: Final = 7
_LAST: Final = 12


def _list_usable(device: str, architectures: Iterable[str]) -> tuple[str, ...] | None:
    """Return the images that a device can use: first those of its own processor."""
    target = _parse(device)
    if target is None or target.processor in _GENERIC:
        return None
    usable = [arch for arch in architectures if (own := _parse(arch)) and _is_usable(own, target)]
    return tuple(sorted(usable, key=lambda arch: (arch.endswith("-generic"), arch)))


def _is_usable(image: TargetId, device: TargetId) -> bool:
    """Return whether a device runs an image. A feature without a sign can be on or off."""
    processors = (image.processor, *_GENERIC.get(image.processor, ()))
    return device.processor in processors and set(image.features) <= set(device.features)


def _parse(arch: str) -> TargetId | None:
    try:
        return parse(arch)
    except ConfigurationError:
        return None


def _find_requirement(compression: Compression) -> Requirement | None:
    return _COMPRESSED if compression in ("zstd", "zlib") else None


def _find_bound(library: str) -> str | None:
    """Return the release after those whose runtime library has a name: HIP's major is ROCm's."""
    match = _RUNTIME.fullmatch(library)
    return f"{int(match[1]) + 1}.0" if match else None


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
    target = _parse(arch)
    return (target.name,) if target else ()


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
    usable_by=_list_usable,
    requirement_of=_find_requirement,
    object_requirement_of=_OBJECTS.get,
    runtime_before=_find_bound,
    shared_bytes_of=_shared_bytes,
    limit_options=_list_limit_options,
    largest_block=_LARGEST_BLOCK,
)
