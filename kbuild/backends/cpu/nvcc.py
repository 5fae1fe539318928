"""Stand in for nvcc on the CPU. See `NvccConventions` for the protocol."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild import resources
from kbuild.backends.cpu import cccl
from kbuild.backends.cpu.mathlibs import build as mathlibs
from kbuild.backends.cpu.mathlibs import headers as curand
from kbuild.backends.cpu.options import cuda_version
from kbuild.backends.cpu.runtime import (
    DRIVER_API,
    HOST_API,
    MANAGEMENT,
    RUNTIME_COMPILER,
    RUNTIME_LINKER,
    SHARED,
    provide_library,
)
from kbuild.backends.cpu.toolchain import NAME
from kbuild.backends.cuda_roots import list_packages
from kbuild.backends.interface.nvcc import DeviceLink, ToolkitLayout
from kbuild.backends.interface.toolchain import Toolchain, ToolchainHints
from kbuild.model import Command

CONFIGURE_FUNCTION: Final = ""

# As the devices of the runtime say.
_ARCHITECTURE: Final = "80"
_OLDEST_STANDARD: Final = 17  # of kbuild_cpu_device.h
_NATIVE: Final = "native"
# The libraries of C names, by their names in toolkits. Programs of `-cudart=static` share one
# runtime with the libraries that they load.
_SCRIPTS: Final = {
    "libcudart.so": HOST_API,
    "libcudart_static.a": HOST_API,
    "libcuda.so": DRIVER_API,
    "libnvrtc.so": RUNTIME_COMPILER,
    "libnvrtc_static.a": RUNTIME_COMPILER,
    "libnvJitLink.so": RUNTIME_LINKER,
    "libnvJitLink_static.a": RUNTIME_LINKER,
    "libnvidia-ml.so": MANAGEMENT,
}
# Many builds link them without a need. Programs that link device code also read the first one.
_EMPTY_LIBRARIES: Final = ("libcudadevrt.a", "libnvrtc-builtins.so", "libnvrtc-builtins_static.a")
_EMPTY_ARCHIVE: Final = "!<arch>\n"
_LINK_NAME: Final = "libkbuild_cpu.so"
_OPTIONS: Final = {
    "-G": ("-O0", "-g", "-D__CUDACC_DEBUG__"),
    # The CPU always accepts these lambdas, but headers of nvcc include more with the option.
    "-extended-lambda": ("-DKBUILD_EXTENDED_LAMBDA",),
    "-expt-extended-lambda": ("-DKBUILD_EXTENDED_LAMBDA",),
    "-fmad=true": ("-ffp-contract=fast",),
    "-fmad=false": ("-ffp-contract=off",),
}
# C++ compilers spell these as nvcc does.
_COMMON: Final = (
    *("-w", "-Wreorder", "-Wno-deprecated-declarations"),
    *("-ftemplate-depth", "-ftemplate-backtrace-limit"),
)
_ERRORS: Final = {
    "all-warnings": "-Werror",
    "deprecated-declarations": "-Werror=deprecated-declarations",
    "reorder": "-Werror=reorder",
}


def describe_toolkit(
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
    hints: ToolchainHints,
) -> ToolkitLayout:
    """See `NvccConventions`: kbuild's own headers, and its shared runtime."""
    native = resources.native_directory()
    library = cccl.find_cccl(hints)
    return ToolkitLayout(
        version=cuda_version.read_version(),
        architecture=_ARCHITECTURE,
        oldest_standard=_OLDEST_STANDARD,
        headers=(
            *cuda_version.list_directories(),
            native / "device" / NAME,
            native / "include",
            *curand.list_directories(hints),
        ),
        header_library=library,
        packages=list_packages(library) if library else (),
        scripts=(
            *(
                (name, f"INPUT({provide_library(names, hints)} {{directory}}/{_LINK_NAME})\n")
                for name, names in _SCRIPTS.items()
            ),
            *((name, _EMPTY_ARCHIVE) for name in _EMPTY_LIBRARIES),
            *(built := mathlibs.list_scripts(hints)),
            *mathlibs.list_missing(hints),
        ),
        built_libraries=tuple(name for name, _ in built),
        environment=cuda_version.list_variables(),
        comes_first=True,
        runtime=(_LINK_NAME, provide_library(SHARED, hints)),
    )


def provide_libraries(hints: ToolchainHints) -> None:
    """See `NvccConventions`: NVIDIA's libraries for the CPU."""
    mathlibs.provide_libraries(hints)


def select_architectures(requested: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: only ``native`` has a meaning here."""
    return (_NATIVE,) if requested == (_NATIVE,) else ()


def describe_device_link(
    link: DeviceLink,  # noqa: ARG001 - the interface's signature
    tc: Toolchain,  # noqa: ARG001 - the interface's signature
) -> Command | None:
    """See `NvccConventions`: kbuild joins the objects in the images."""
    return None


def translate_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: nvcc's options for PTX and machine code have no effect."""
    return tuple(_translate(options))


def _translate(options: tuple[str, ...]) -> Iterator[str]:
    for option in options:
        name, _, value = option.partition("=")
        if name in _COMMON:
            yield option
        elif name == "-Werror":
            yield from (_ERRORS[kind] for kind in value.split(",") if kind in _ERRORS)
        else:
            yield from _OPTIONS.get(option, ())


def quote_options(options: tuple[str, ...]) -> tuple[str, ...]:
    """See `NvccConventions`: as they are."""
    return options
