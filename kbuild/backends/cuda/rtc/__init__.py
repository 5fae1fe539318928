"""Compile CUDA at run time with NVRTC, and assemble PTX again with other launch bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kbuild.backends.cuda import architectures
from kbuild.formats.nvidia.ptx.launch_bounds import set_launch_bounds
from kbuild.model import Command

if TYPE_CHECKING:
    from kbuild.backends.interface.rtc import (
        AssembleUnit,
        LinkInput,
        LinkOutput,
        RtcOutput,
        RtcSource,
    )
    from kbuild.backends.interface.toolchain import Toolchain
    from kbuild.model import HighWaterMarks, ImageKind


def read_version() -> str:
    """See `RuntimeCompiler`: the version of NVRTC."""
    from kbuild.backends.cuda.rtc import nvrtc  # noqa: PLC0415 - imports cuda-core

    return nvrtc.read_version()


def compile_source(source: RtcSource) -> RtcOutput:
    """See `RuntimeCompiler`: NVRTC."""
    from kbuild.backends.cuda.rtc import nvrtc  # noqa: PLC0415 - imports cuda-core

    return nvrtc.compile_source(source)


def assemble(assembly: bytes, arch: str, options: tuple[str, ...]) -> tuple[bytes, str]:
    """See `RuntimeCompiler`: nvJitLink, or the driver's linker if nvJitLink is not installed."""
    from kbuild.backends.cuda.rtc import nvrtc  # noqa: PLC0415 - imports cuda-core

    return nvrtc.assemble(assembly, arch, options)


def list_linkable(arch: str, options: tuple[str, ...]) -> tuple[tuple[ImageKind, str], ...]:
    """See `RuntimeCompiler`: LTO-IR only if the options ask for it."""
    target = architectures.parse(arch)
    found: tuple[tuple[ImageKind, str], ...] = (("elf", target.real), ("ptx", target.virtual))
    if architectures.LINK_TIME.isdisjoint(options):
        return found
    return (("bitcode", target.link_time), *found)


def link(inputs: tuple[LinkInput, ...], arch: str, options: tuple[str, ...]) -> LinkOutput:
    """See `RuntimeCompiler`: nvJitLink, or the driver's linker if nvJitLink is not installed."""
    from kbuild.backends.cuda.rtc import nvrtc  # noqa: PLC0415 - imports cuda-core

    return nvrtc.link(inputs, arch, options)


def mark_assembly(assembly: bytes, kernel: str, marks: HighWaterMarks) -> bytes:
    """See `RuntimeCompiler`: PTX with other performance-tuning directives."""
    return set_launch_bounds(assembly, kernel, marks)


def assemble_command(unit: AssembleUnit, tc: Toolchain) -> Command:
    """See `RuntimeCompiler`: ptxas for one kernel.

    nvcc calls it, because nvcc knows which of the options are for ptxas.
    """
    output = unit.output.with_name(unit.output.name + ".cubin")
    argv = (
        *(str(tc.compiler), "-cubin", f"-arch={unit.arch}"),
        *("-Xptxas", f"-v,--entry={unit.kernel}", *(("-G",) if unit.debug else ()), *unit.options),
        *(str(unit.assembly), "-o", str(output)),
    )
    return Command(argv=argv, inputs=(unit.assembly,), outputs=(output,))


def read_spills(log: str) -> tuple[tuple[str, int, int], ...]:
    """See `RuntimeCompiler`: the spills that ptxas reports."""
    from kbuild.backends.cuda import image  # noqa: PLC0415 - loads parsers

    return image.read_spills(log)
