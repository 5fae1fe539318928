"""Names that CUDA has removed: their replacements, and compilers' messages about them.

Source: the release notes of CUDA 11.0, 12.0, and 13.0, and their headers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

_OBJECTS: Final = (12, "use a texture object: cudaCreateTextureObject and tex1Dfetch<T>(object, x)")
_SURFACES: Final = (12, "use a surface object: cudaCreateSurfaceObject")
_LAUNCH: Final = (11, "use <<<>>> or cudaLaunchKernel")
_INTEROPERABILITY: Final = (11, "use cudaGraphicsGLRegisterBuffer and cudaGraphicsMapResources")
# The version that removed the name, and the replacement.
_NAMES: Final = {
    "cudaThreadSynchronize": (13, "use cudaDeviceSynchronize"),
    "cudaThreadExit": (13, "use cudaDeviceReset"),
    "cudaThreadSetLimit": (13, "use cudaDeviceSetLimit"),
    "cudaThreadGetLimit": (13, "use cudaDeviceGetLimit"),
    "cudaThreadSetCacheConfig": (13, "use cudaDeviceSetCacheConfig"),
    "cudaThreadGetCacheConfig": (13, "use cudaDeviceGetCacheConfig"),
    "cudaLaunchCooperativeKernelMultiDevice": (
        13,
        "use cudaLaunchCooperativeKernel on each device",
    ),
    "cudaGetDeviceProperties_v2": (13, "use cudaGetDeviceProperties"),
    "cudaMemAdvise_v2": (13, "use cudaMemAdvise"),
    "cudaMemPrefetchAsync_v2": (13, "use cudaMemPrefetchAsync"),
    "cudaStreamGetCaptureInfo_v2": (13, "use cudaStreamGetCaptureInfo"),
    "cudaGraphAddDependencies_v2": (13, "use cudaGraphAddDependencies"),
    "cudaGraphGetEdges_v2": (13, "use cudaGraphGetEdges"),
    "cudaProfilerInitialize": (12, "use cudaProfilerStart and cudaProfilerStop"),
    "texture": _OBJECTS,
    "textureReference": _OBJECTS,
    "cudaBindTexture": _OBJECTS,
    "cudaBindTexture2D": _OBJECTS,
    "cudaBindTextureToArray": _OBJECTS,
    "cudaBindTextureToMipmappedArray": _OBJECTS,
    "cudaUnbindTexture": _OBJECTS,
    "cudaGetTextureReference": _OBJECTS,
    "cudaGetTextureAlignmentOffset": _OBJECTS,
    "surface": _SURFACES,
    "surfaceReference": _SURFACES,
    "cudaBindSurfaceToArray": _SURFACES,
    "cudaGetSurfaceReference": _SURFACES,
    "cudaConfigureCall": _LAUNCH,
    "cudaSetupArgument": _LAUNCH,
    "cudaLaunch": _LAUNCH,
    "cudaGLSetGLDevice": (11, "use cudaSetDevice"),
    "cudaGLRegisterBufferObject": _INTEROPERABILITY,
    "cudaGLMapBufferObject": _INTEROPERABILITY,
    "cudaGLUnmapBufferObject": _INTEROPERABILITY,
    "cudaGLUnregisterBufferObject": _INTEROPERABILITY,
}
_ASK: Final = "use cudaDeviceGetAttribute with"
# The members of cudaDeviceProp and cudaPointerAttributes.
_MEMBERS: Final = {
    "clockRate": (13, f"{_ASK} cudaDevAttrClockRate"),
    "memoryClockRate": (13, f"{_ASK} cudaDevAttrMemoryClockRate"),
    "deviceOverlap": (13, "use asyncEngineCount"),
    "kernelExecTimeoutEnabled": (13, f"{_ASK} cudaDevAttrKernelExecTimeout"),
    "computeMode": (13, f"{_ASK} cudaDevAttrComputeMode"),
    "maxTexture1DLinear": (13, f"{_ASK} cudaDevAttrMaxTexture1DLinearWidth"),
    "singleToDoublePrecisionPerfRatio": (
        13,
        f"{_ASK} cudaDevAttrSingleToDoublePrecisionPerfRatio",
    ),
    "cooperativeMultiDeviceLaunch": (13, "launches on several devices no longer exist"),
    "memoryType": (11, "use type"),
    "isManaged": (11, "compare type with cudaMemoryTypeManaged"),
}
# The oldest version that headers can be like, and the names that they do not have then.
_OLDEST: Final = 11
_MISSING_IN_OLDER: Final = frozenset(
    (
        "cudaLaunchCooperativeKernelMultiDevice",
        "cudaProfilerInitialize",
        "surface",
        "surfaceReference",
        "cudaBindSurfaceToArray",
        "cudaGetSurfaceReference",
    )
)
_QUOTED: Final = r"['\"\u2018](?:const )?(?:struct |class )?{}['\"\u2019]"
_NAME: Final = _QUOTED.format(r"(?P<name>\w+)")
_OWNER: Final = _QUOTED.format(r"(?:cudaDeviceProp|cudaPointerAttributes)")
# The messages of g++, clang, and nvcc.
_UNKNOWN: Final = (
    rf"error: {_NAME} (?:was not declared|does not name a type)",
    rf"error: (?:use of undeclared identifier|unknown type name|no template named) {_NAME}",
    rf"error: identifier {_NAME} is undefined",
    r"error: (?P<name>\w+) is not a template",
)
_MISSING: Final = (
    rf"error: (?:class )?{_OWNER} has no member (?:named )?{_NAME}",
    rf"error: no member named {_NAME} in {_OWNER}",
)
_NUMBER: Final = _QUOTED.format("int")
_LOCATION: Final = _QUOTED.format("cudaMemLocation")
_OLD_ARGUMENT: Final = re.compile(f"{_NUMBER} to {_LOCATION}")
_LOCATION_FIX: Final = (
    "since CUDA 13, cudaMemPrefetchAsync and cudaMemAdvise take a cudaMemLocation instead of a "
    "device number; pass {cudaMemLocationTypeDevice, device}"
)


def find_removed_names(log: str, option: str = "") -> str:
    """Return the fix for a log in which a compiler misses names of older CUDA; or nothing.

    Args:
        log: What the compiler printed.
        option: The option that selects an older version, if there is one.
    """
    found = {**_search(log, _UNKNOWN, _NAMES), **_search(log, _MISSING, _MEMBERS)}
    hints = [f"CUDA {version} removed '{name}', {fix}" for name, (version, fix) in found.items()]
    older = [version - 1 for name, (version, _) in found.items() if name not in _MISSING_IN_OLDER]
    if not hints and _OLD_ARGUMENT.search(log):
        hints, older = [_LOCATION_FIX], [12]
    if option and older and min(older) >= _OLDEST:
        names = ("the older form", "this name", "these names")[min(len(found), 2)]
        hints.append(f"or use {option} {min(older)}, which has {names}")
    return "; ".join(hints)


def find_unknown_names(log: str) -> tuple[str, ...]:
    """Return the names that a compiler does not know, each once."""
    matches = (found for pattern in _UNKNOWN for found in re.finditer(pattern, log))
    return tuple(dict.fromkeys(found["name"] for found in matches))


def _search(
    log: str, patterns: tuple[str, ...], removed: Mapping[str, tuple[int, str]]
) -> dict[str, tuple[int, str]]:
    """Return the removed names that a log misses, each once."""
    matches = (found for pattern in patterns for found in re.finditer(pattern, log))
    return {found["name"]: removed[found["name"]] for found in matches if found["name"] in removed}
