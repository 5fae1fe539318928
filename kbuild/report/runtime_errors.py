"""Errors of GPU runtimes that people search for: what they mean, and what to do.

Sources: `enum cudaError` of ``driver_types.h``, whose comments explain the codes. A test compares
the texts with those of the runtime library.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Final

from kbuild.report.layout import join_lines
from kbuild.report.styles import Line, Span
from kbuild.values import dataclass

_LINE: Final = 88


@dataclass(frozen=True, slots=True, kw_only=True)
class CudaError:
    """An error of CUDA's runtime: its number, name, and text, the meaning, and the next step."""

    number: int
    name: str
    text: str
    meaning: str
    fix: str


ERRORS: Final = (
    CudaError(
        number=209,
        name="cudaErrorNoKernelImageForDevice",
        text="no kernel image is available for execution on the device",
        meaning="The program or library has no image for the architecture of the device, and no "
        "PTX that its driver could compile for it.",
        fix="`kbuild inspect FILE` lists the architectures of the file. Add the architecture of "
        "the device, such as 90, to ARCHITECTURES, or add PTX, such as 90-virtual. In CI, let "
        "`required_architectures` of the policy check it (KB101).",
    ),
    CudaError(
        number=98,
        name="cudaErrorInvalidDeviceFunction",
        text="invalid device function",
        meaning="The pointer that was launched does not belong to a registered kernel, or no image "
        "of the file contains this kernel for the device.",
        fix="Run `kbuild verify FILE...` with all files of the process. It finds kernels that an "
        "image lacks (KB103), registration that is missing or damaged (KB4), and two copies of "
        "the CUDA runtime, each of which knows only its own kernels.",
    ),
    CudaError(
        number=222,
        name="cudaErrorUnsupportedPtxVersion",
        text="the provided PTX was compiled with an unsupported toolchain.",
        meaning="The PTX is newer than the driver, which cannot compile it.",
        fix="Update the driver, compile with an older toolkit, or add machine code for the device, "
        "such as 90-real. `minimum_driver` of the policy checks this before you ship.",
    ),
    CudaError(
        number=35,
        name="cudaErrorInsufficientDriver",
        text="CUDA driver version is insufficient for CUDA runtime version",
        meaning="The driver is older than the CUDA runtime that the program links.",
        fix="Update the driver, or build with a toolkit of the driver's version. `kbuild doctor` "
        "shows both. `minimum_driver` of the policy checks artifacts.",
    ),
    CudaError(
        number=100,
        name="cudaErrorNoDevice",
        text="no CUDA-capable device is detected",
        meaning="The driver works, but finds no device, or CUDA_VISIBLE_DEVICES hides all of them.",
        fix="`kbuild doctor` lists the devices. Without a device, `kbuild run --backend cpu` runs "
        "the program on the processor.",
    ),
    CudaError(
        number=701,
        name="cudaErrorLaunchOutOfResources",
        text="too many resources requested for launch",
        meaning="A block of this size needs more registers than a multiprocessor has.",
        fix="Launch smaller blocks, or declare the block in `__launch_bounds__`, so that the "
        "compiler uses fewer registers. `kbuild inspect` shows registers, and KB202 finds bounds "
        "that no launch can have.",
    ),
    CudaError(
        number=9,
        name="cudaErrorInvalidConfiguration",
        text="invalid configuration argument",
        meaning="The grid or the block is empty or too large. A block has at most 1,024 threads.",
        fix="Print the values in `<<<>>>`. `kbuild run --backend cpu` reports the same error "
        "without a GPU.",
    ),
    CudaError(
        number=700,
        name="cudaErrorIllegalAddress",
        text="an illegal memory access was encountered",
        meaning="A kernel read or wrote memory outside of all allocations. A later call reports "
        "it, because launches return before the kernel is done.",
        fix="`kbuild run --backend cpu FILE.cu` runs the kernel on the "
        "processor. If it crashes there, the report names the line, the block, and the nearest "
        "allocation.",
    ),
    CudaError(
        number=719,
        name="cudaErrorLaunchFailure",
        text="unspecified launch failure",
        meaning="A kernel stopped, for example because of an invalid pointer to shared memory or a "
        "corrupt stack.",
        fix="`kbuild run --backend cpu FILE.cu` runs the kernel on the processor. If it crashes "
        "there, the report names the line.",
    ),
    CudaError(
        number=400,
        name="cudaErrorInvalidResourceHandle",
        text="invalid resource handle",
        meaning="A stream, event, or kernel belongs to another device or context, or "
        "was destroyed.",
        fix="Create streams and events after `cudaSetDevice`. If several libraries of the process "
        "contain the CUDA runtime, `kbuild verify --closure FILE` compares them.",
    ),
)


def find_errors(words: str) -> tuple[CudaError, ...]:
    """Return the errors whose name, number, or text contains these words, in any case."""
    searched = " ".join(words.lower().split()).rstrip(".")
    return tuple(
        error
        for error in ERRORS
        if searched in f"{error.name.lower()} {error.text.lower()}" or searched == str(error.number)
    )


def render_text(errors: tuple[CudaError, ...], *, has_colors: bool = False) -> str:
    """Return the explanations for a terminal."""
    lines = (line for error in errors for line in _describe(error))
    return join_lines(lines, has_colors=has_colors)


def _describe(error: CudaError) -> Iterator[Line]:
    yield Span(f"{error.text.rstrip('.')} ({error.name}, {error.number})", "heading")
    yield from textwrap.wrap(error.meaning, _LINE)
    yield ""
    yield Span("Fix:", "heading")
    yield from textwrap.wrap(error.fix, _LINE)
    yield ""


def render_markdown(errors: tuple[CudaError, ...]) -> str:
    """Return the explanations as sections of a page."""
    return "\n".join(
        f"## {error.text.rstrip('.')}\n\n`{error.name}` ({error.number}). {error.meaning}\n\n"
        f"**Fix:** {error.fix}\n"
        for error in errors
    )
