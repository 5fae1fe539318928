"""Run ``kbuild bench launch``: count with Valgrind, and measure times on a device."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, Literal

from kbuild.backends.interface.build import Builder
from kbuild.bench import counting, timing
from kbuild.bench.results import LaunchReport
from kbuild.errors import ToolchainError
from kbuild.process import find_program

Measure = Literal["count", "time"]

_NO_VALGRIND: Final = (
    "valgrind not found; it counts the instructions; install it with: apt-get install valgrind"
)


def measure_launches(
    builder: Builder, *, batches: int, only: Measure | None = None
) -> LaunchReport:
    """Build the benchmark programs in a temporary directory, and run them.

    The report gives a reason for everything that cannot be measured on this machine.

    Args:
        builder: The builder of the backend whose launches are measured.
        batches: The number of timed batches.
        only: The kind of measurement; None means both.

    Raises:
        ToolchainError: Nothing of what is requested can be measured.
    """
    valgrind = find_program("valgrind") if only != "time" else None
    project = timing.find_timed_project(builder) if only != "count" else None
    reasons = []
    if valgrind is None and only != "time":
        reasons.append(_NO_VALGRIND)
    if project is None and only != "count":
        reasons.append(f"no device found to time launches of backend {builder.TRAITS.name!r}")
    if valgrind is None and project is None:
        raise ToolchainError("; ".join(reasons))
    with tempfile.TemporaryDirectory(prefix="kbuild-bench-") as name:
        directory = Path(name)
        counted = counting.count_launches(builder, valgrind, directory) if valgrind else ()
        timed = timing.time_launches(project, directory / "timed", batches) if project else None
    return LaunchReport(
        backend=builder.TRAITS.name,
        options=counting.OPTIONS,
        valgrind=counting.describe_tool(valgrind) if valgrind else None,
        counted=counted,
        timing=timed,
        left_out=tuple(reasons),
    )
