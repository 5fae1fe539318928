"""Blocks with more threads than the code of a kernel allows."""

from __future__ import annotations

from kbuild.backends import find_limits
from kbuild.model import Resources


def explain_block(threads: int, most: int | None, resources: Resources) -> str | None:
    """Say why code cannot be launched with a block; None if it can, as far as known.

    Args:
        threads: The number of threads in the block.
        most: The largest number of threads, or None if it is unknown.
        resources: The resources of the code.
    """
    if most is None or threads <= most:
        return None
    bound = resources.max_threads
    why = "its launch bounds" if bound and bound <= most else f"its {resources.registers} registers"
    return f"a block has {threads} threads, but {why} allow {most}"


def explain_failed_launch(
    backend: str, arch: str, threads: int, resources: Resources, *, is_portable: bool
) -> str | None:
    """Say how a block that was too large can be launched; None if the block was not the reason.

    Args:
        backend: The backend of the kernel.
        arch: The architecture of the image that the device runs.
        threads: The number of threads in the block.
        resources: The resources of the code in this image.
        is_portable: Whether the kernel can be compiled again.
    """
    limits = find_limits(backend)
    most = limits.most_threads_of(arch, resources) or resources.max_threads
    problem = explain_block(threads, most, resources)
    if problem is None or (limits.largest_block is not None and threads > limits.largest_block):
        return problem
    fix = (
        f"compile the kernel for such blocks, with __launch_bounds__({threads}) in its source or "
        f"with block_size={threads} of KernelCompiler or RtcKernel"
    )
    if limits.has_portable_code and not is_portable:
        fix += (
            ", or embed PTX and load it with CompiledModule.load, so that the launch compiles the "
            "kernel again"
        )
    return f"{problem}; {fix}"
