"""Compares values with the baseline: worse ones are errors, better ones ask for a new baseline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from kbuild.demangle.names import demangle
from kbuild.verify.figures import FigureName, FileFigures, KernelFigures
from kbuild.verify.policy.baseline import Baseline
from kbuild.verify.policy.model import Limit, Policy
from kbuild.verify.rule import Violation


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value of kernels that one rule judges: its name, its limit, and its unit in messages."""

    name: FigureName
    limit: Limit
    unit: str


def describe_kernel(kernel: KernelFigures) -> str:
    """Return the name of a kernel and its architecture."""
    return f"{demangle(kernel.kernel)} on {kernel.arch}"


def compare_kernels(
    figures: FileFigures, policy: Policy, figure: Figure, reported: frozenset[tuple[str, str]]
) -> Iterator[Violation]:
    """Report how one value of every kernel differs from the baseline.

    Args:
        figures: The values of a file.
        policy: The policy with the baseline.
        figure: The value to compare.
        reported: The kernels and architectures that are already reported for exceeding a limit.
    """
    baseline = policy.baseline
    before = baseline.find(figures.file) if baseline else None
    if baseline is None or before is None:
        return
    old = {(kernel.kernel, kernel.arch): kernel for kernel in before.kernels}
    better = []
    for kernel in figures.kernels:
        key = (kernel.kernel, kernel.arch)
        was = getattr(old.get(key), figure.name, None)
        now = getattr(kernel, figure.name)
        if was is None or now is None:
            continue
        message = f"{describe_kernel(kernel)} has {now} {figure.unit}; the baseline has {was}"
        if now > was and key not in reported:
            yield Violation(message=message, symbol=kernel.kernel, arch=kernel.arch)
        elif now < was:
            better.append(message)
    if better:
        rest = f" ({len(better) - 1} more improved)" if len(better) > 1 else ""
        yield _tighten(f"{better[0]}{rest}", baseline)


def compare_sizes(figures: FileFigures, policy: Policy) -> Iterator[Violation]:
    """Report how the sizes of each architecture and of the file differ from the baseline."""
    baseline = policy.baseline
    before = baseline.find(figures.file) if baseline else None
    if baseline is None or before is None:
        return
    old = {size.arch: size.stored_bytes for size in before.sizes}
    better = []
    for size in figures.sizes:
        was = old.get(size.arch)
        if was is None or size.stored_bytes == was:
            continue
        message = (
            f"the images for {size.arch} take {size.stored_bytes} bytes; the baseline has {was}"
        )
        if size.stored_bytes > was:
            yield Violation(message=message, arch=size.arch)
        else:
            better.append(message)
    total = (
        f"the device images take {figures.stored_bytes} bytes; "
        f"the baseline has {before.stored_bytes}"
    )
    # The growth of one architecture is already reported.
    if figures.stored_bytes > before.stored_bytes and {s.arch for s in figures.sizes} != set(old):
        yield Violation(message=total)
    if better:
        yield _tighten(better[0], baseline)


def _tighten(message: str, baseline: Baseline) -> Violation:
    return Violation(
        message=f"{message}; to keep this improvement, run "
        f"kbuild verify --write-baseline {baseline.source} PATH...",
        severity="info",
    )
