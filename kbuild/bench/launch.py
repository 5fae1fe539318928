"""``kbuild bench launch``: counts where valgrind is, and times where there is a device."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Final, Literal

from kbuild.backends.interface.build import Builder
from kbuild.bench import counting, timing
from kbuild.bench.results import LaunchReport
from kbuild.errors import ToolchainError
from kbuild.toolchain.find import find_program

Measure = Literal["count", "time"]

_NO_VALGRIND: Final = "valgrind not found; it counts the instructions: apt-get install valgrind"


def measure_launches(
    builder: Builder, *, batches: int, only: Measure | None = None
) -> LaunchReport:
    """Build the programs in a temporary folder, and run them.

    What cannot be measured here is left out of the report, with the reason.  Raises
    ToolchainError where that is all that was asked for.
    """
    valgrind = find_program("valgrind") if only != "time" else None
    project = timing.find_timed_project(builder) if only != "count" else None
    reasons = []
    if valgrind is None and only != "time":
        reasons.append(_NO_VALGRIND)
    if project is None and only != "count":
        reasons.append(
            f"no device here that launches of backend {builder.TRAITS.name} are timed on"
        )
    if valgrind is None and project is None:
        raise ToolchainError("; ".join(reasons))
    with tempfile.TemporaryDirectory(prefix="kbuild-bench-") as name:
        folder = Path(name)
        counted = counting.count_launches(builder, valgrind, folder) if valgrind else ()
        timed = timing.time_launches(project, folder / "timed", batches) if project else None
    return LaunchReport(
        backend=builder.TRAITS.name,
        options=counting.OPTIONS,
        valgrind=counting.describe_tool(valgrind) if valgrind else None,
        counted=counted,
        timing=timed,
        left_out=tuple(reasons),
    )
