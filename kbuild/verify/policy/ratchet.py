"""Compare values with the baseline: report worse ones, and better ones that it should have."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.values import dataclass
from kbuild.verify.figures import FigureName, FileFigures
from kbuild.verify.policy.baseline import Baseline
from kbuild.verify.policy.model import Limit, Policy
from kbuild.verify.rule import Violation
from kbuild.verify.wording import EXAMPLES


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A value of kernels that one rule judges: its name, its limit, and its unit in messages."""

    name: FigureName
    limit: Limit
    unit: str


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
    for kernel in figures.kernels:
        key = (kernel.kernel, kernel.arch)
        was = getattr(old.get(key), figure.name, None)
        now = getattr(kernel, figure.name)
        if was is None or now is None or now == was or (now > was and key in reported):
            continue
        yield Violation(
            message=f"more {figure.unit} than in the baseline: {EXAMPLES}"
            if now > was
            else f"fewer {figure.unit} than in the baseline: {EXAMPLES}; {_tighten(baseline)}",
            symbol=kernel.kernel,
            arch=kernel.arch,
            where=f"{now} instead of {was}",
            severity=None if now > was else "info",
        )


def compare_sizes(figures: FileFigures, policy: Policy) -> Iterator[Violation]:
    """Report how the sizes of each architecture and of the file differ from the baseline."""
    baseline = policy.baseline
    before = baseline.find(figures.file) if baseline else None
    if baseline is None or before is None:
        return
    old = {size.arch: size.stored_bytes for size in before.sizes}
    for size in figures.sizes:
        was = old.get(size.arch)
        if was is None or size.stored_bytes == was:
            continue
        is_larger = size.stored_bytes > was
        yield Violation(
            message=f"larger images than in the baseline: {EXAMPLES}"
            if is_larger
            else f"smaller images than in the baseline: {EXAMPLES}; {_tighten(baseline)}",
            arch=size.arch,
            where=f"{size.stored_bytes} bytes instead of {was}",
            severity=None if is_larger else "info",
        )
    # The growth of one architecture is already reported.
    if figures.stored_bytes > before.stored_bytes and {s.arch for s in figures.sizes} != set(old):
        yield Violation(
            message=f"the device images take {figures.stored_bytes} bytes; "
            f"the baseline has {before.stored_bytes}"
        )


def _tighten(baseline: Baseline) -> str:
    return f"to keep this, run kbuild verify --write-baseline {baseline.source} PATH..."
