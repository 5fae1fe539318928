"""Host code of HIP, as clang builds it, on its own or called by hipcc.

Sources: clang's ``CGCUDANV.cpp`` (wrapper, registration, names), ``hip_runtime_api.h``, and files
built by hipcc 5.2 with clang 15.
"""

from __future__ import annotations

import re
from typing import Final

from kbuild.backends.interface.host import (
    HostConventions,
    RuntimeLibrary,
    WrapperConvention,
    kernels_of_prefixed_stub,
    match_soname,
)

# Relocatable device code makes file-local kernels unique: `_ZL2stPi.intern.<hash>`.
_UNIQUE: Final = re.compile(r"\.(?:static|intern)\.[0-9a-f]+\Z")


def host_name(kernel: str) -> str:
    """Return the name without the parts that make file-local kernels unique in device code."""
    return _UNIQUE.sub("", kernel)


CONVENTIONS: Final = HostConventions(
    wrapper=WrapperConvention(
        section=".hipFatBinSegment",
        magic=0x48495046,
        versions=frozenset({1}),
        # ROCm's kpack rewrites `HIPF` to `HIPK`, and clears the fat binary.
        split_magic=0x4B504948,
        split_section=".rocm_kpack_ref",
    ),
    register_kernel="__hipRegisterFunction",
    registrations=frozenset(
        {
            "__hipRegisterFatBinary",
            "__hipRegisterFunction",
            "__hipRegisterVar",
            "__hipRegisterManagedVar",
            "__hipRegisterTexture",
            "__hipRegisterSurface",
            "__hipUnregisterFatBinary",
        }
    ),
    unregister="__hipUnregisterFatBinary",
    link_symbols=re.compile(r"__hip_fatbin|__hip_gpubin_handle"),
    link_sections=frozenset({"hip_offloading_entries"}),
    runtime_symbols=re.compile(r"(?:__)?hip[A-Z]\w*\Z"),
    # The runtime of ROCm 10 is still libamdhip64.so.7 (jax-rocm10-pjrt 0.12.0).
    claim=re.compile(r"(?:\b|_)rocm([4-7])"),
    runtimes=(
        RuntimeLibrary(
            name="amdhip64",
            file_name=match_soname("amdhip64"),
        ),
        RuntimeLibrary(
            name="hsa-runtime64",
            file_name=match_soname("hsa-runtime64"),
            is_driver=True,
        ),
    ),
    host_name=host_name,
    kernels_of_stub=kernels_of_prefixed_stub,
)
