"""Figures against the baseline: worse ones are errors, better ones ask to be kept."""

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
    """A figure of kernels that one rule judges: its name, its limit, its words."""

    name: FigureName
    limit: Limit
    unit: str


def show(kernel: KernelFigures) -> str:
    """A kernel on its architecture, for people."""
    return f"{demangle(kernel.kernel)} on {kernel.arch}"


def compare_kernels(
    figures: FileFigures, policy: Policy, figure: Figure, reported: frozenset[tuple[str, str]]
) -> Iterator[Violation]:
    """What one figure of every kernel has become; ``reported`` is above a limit already."""
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
        if now > was and key not in reported:
            yield Violation(
                message=f"{show(kernel)} has {now} {figure.unit}, the baseline {was}",
                symbol=kernel.kernel,
                arch=kernel.arch,
            )
        elif now < was:
            better.append(f"{show(kernel)} has {now} {figure.unit}, the baseline {was}")
    if better:
        rest = f" and {len(better) - 1} more are better" if len(better) > 1 else ""
        yield _tighten(f"{better[0]}{rest}", baseline)


def compare_sizes(figures: FileFigures, policy: Policy) -> Iterator[Violation]:
    """What the images of each architecture and of the whole file take up."""
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
            f"the images for {size.arch} take {size.stored_bytes} bytes, in the baseline {was}"
        )
        if size.stored_bytes > was:
            yield Violation(message=message, arch=size.arch)
        else:
            better.append(message)
    total = (
        f"the device images take {figures.stored_bytes} bytes, "
        f"in the baseline {before.stored_bytes}"
    )
    # What one architecture has grown by is said already.
    if figures.stored_bytes > before.stored_bytes and {s.arch for s in figures.sizes} != set(old):
        yield Violation(message=total)
    if better:
        yield _tighten(better[0], baseline)


def _tighten(message: str, baseline: Baseline) -> Violation:
    return Violation(
        message=f"{message}: kbuild verify --write-baseline {baseline.source} PATH... keeps that",
        severity="info",
    )
