"""``kbuild bench launch``: counts, and times where there is a device."""

from __future__ import annotations

import tempfile
from pathlib import Path

from kbuild.backends.protocol import Backend
from kbuild.bench import counting, timing
from kbuild.bench.results import LaunchReport


def measure_launches(backend: Backend, *, batches: int) -> LaunchReport:
    """Build the programs in a temporary folder, and run them."""
    valgrind = counting.find_valgrind()
    with tempfile.TemporaryDirectory(prefix="kbuild-bench-") as name:
        folder = Path(name)
        counted = counting.count_launches(backend, valgrind, folder)
        project = timing.find_timed_project(backend)
        timed = timing.time_launches(project, folder / "timed", batches) if project else None
    return LaunchReport(
        backend=backend.NAME,
        options=counting.OPTIONS,
        valgrind=counting.describe_tool(valgrind),
        counted=counted,
        timing=timed,
    )
