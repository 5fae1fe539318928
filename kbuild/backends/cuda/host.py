"""Host code of CUDA, as nvcc and clang build it.

Sources: ``fatbinary_section.h``, ``crt/host_runtime.h``, and ``crt/link.stub`` of the toolkit
(names and magic numbers), clang's ``CGCUDANV.cpp``, and files built by nvcc 11.8 to 13.4.
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
from kbuild.formats.nvidia.fatbin import containers as nv_fatbin

# With separate compilation: `__nv_static_`, the length of the source's ID, `_`, the ID, `_`.
_STATIC: Final = re.compile(r"__nv_static_(\d{1,4})_")
# How clang makes names of file-local kernels unique. PTX does not allow dots.
_CLANG_STATIC: Final = re.compile(r"(?:__(?:static|intern)__|\.(?:static|intern)\.)[0-9a-f]+\Z")
# The stub is a separate function. Its identifier is this prefix and the kernel's mangled name.
_STUB: Final = re.compile(r"_ZL?(\d{1,6})__device_stub_")
_STUB_PREFIX: Final = "__device_stub_"
_FUNCTION: Final = re.compile(r"_Z(\d{1,5})")

# What only the installation of the driver provides. Source: README of the Linux driver,
# "Installed Components".
# CUDA_ERROR_NO_DEVICE
_NO_DEVICE: Final = 100
_DRIVER_LIBRARIES: Final = (
    *("cuda", "cudadebugger", "nvcuvid", "nvidia-encode", "nvidia-fbc", "nvidia-ml", "nvidia-nvvm"),
    *("nvidia-opticalflow", "nvidia-ptxjitcompiler", "nvoptix"),
)


def host_name(kernel: str) -> str:
    """Return the name without the parts that make file-local kernels unique in device code."""
    match = _STATIC.match(kernel)
    if match:
        end = match.end() + int(match[1])
        if kernel[end : end + 1] == "_" and end + 1 < len(kernel):
            return kernel[end + 1 :]
    return _CLANG_STATIC.sub("", kernel)


def kernels_of_stub(symbol: str) -> tuple[str, ...]:
    """Return the kernel of a stub that nvcc made. Launches pass clang's stubs themselves.

    The stub of an ``extern "C"`` kernel has the mangled name that the kernel itself does not have.
    """
    match = _STUB.match(symbol)
    if match is None:
        return ()
    start = match.end(1)
    kernel = symbol[start : start + int(match[1])].removeprefix(_STUB_PREFIX)
    found = [kernel] if kernel else []
    plain = _FUNCTION.match(kernel)
    if plain:
        found.append(kernel[plain.end() : plain.end() + int(plain[1])])
    return tuple(found)


CONVENTIONS: Final = HostConventions(
    wrapper=WrapperConvention(
        section=nv_fatbin.WRAPPER_SECTION,
        magic=nv_fatbin.WRAPPER_MAGIC,
        versions=frozenset({1, 2}),
        device_linked=frozenset({2}),
    ),
    register_kernel="__cudaRegisterFunction",
    registrations=frozenset(
        {
            "__cudaRegisterFatBinary",
            "__cudaRegisterFatBinaryEnd",
            "__cudaRegisterFunction",
            "__cudaRegisterVar",
            "__cudaRegisterManagedVar",
            "__cudaRegisterHostVar",
            "__cudaRegisterTexture",
            "__cudaRegisterSurface",
            "__cudaUnregisterFatBinary",
        }
    ),
    unregister="__cudaUnregisterFatBinary",
    link_symbols=re.compile(r"__cudaRegisterLinkedBinary|__fatbinwrap"),
    link_sections=frozenset({"cuda_offloading_entries"}),
    # The driver's names start with `cu` and a capital, other libraries' with their own names.
    runtime_symbols=re.compile(r"(?:__)?cuda[A-Z]\w*\Z"),
    claim=re.compile(r"(?:\b|_)cu(?:da)?(1\d)(?!\d{2})"),
    runtimes=(
        RuntimeLibrary(
            name="cudart",
            file_name=match_soname("cudart"),
            # The name of its shared memory, and its text for cudaErrorMissingConfiguration. Both
            # exist from 11.8 to 13.4, but not in trampolines that load the library.
            texts=(b"/cudart.shm.", b"__global__ function call is not configured\0"),
        ),
        *(
            RuntimeLibrary(
                name=name,
                file_name=match_soname(name),
                is_driver=True,
                is_bound_to_kernel=True,
                no_device=_NO_DEVICE if name == "cuda" else None,
            )
            for name in _DRIVER_LIBRARIES
        ),
    ),
    identity_type="function",
    host_name=host_name,
    kernels_of_identity=kernels_of_prefixed_stub,
    kernels_of_stub=kernels_of_stub,
)
