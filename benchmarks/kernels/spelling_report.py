"""Show how the speed of kernels depends on the way in which they are written."""

from __future__ import annotations

import json
import re
import statistics
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.measure import Comparison

# The spelling of kernels.cu has no namespace.
ORIGINAL = "original"
SPELLINGS = (ORIGINAL, "merged", "functors", "functions", "templates", "ranges", "pairs")
# One template is both kernels of the spelling.
ALIASES = {"matmul": ("matmul_tiled", "matmul_large_tile")}
WIDTH = 11


def read_executions(kbuild: Path, library: Path) -> dict[tuple[str, str], str]:
    """Return the execution model of each kernel, by its name and spelling."""
    done = subprocess.run(
        [kbuild, "inspect", "--format", "json", library],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    executions: dict[tuple[str, str], str] = {}
    for artifact in json.loads(done.stdout)["artifacts"]:
        for image in artifact["images"]:
            for kernel in image["kernels"]:
                found = re.search(r"(?:(\w+)::)?(\w+)(?:<[^(]*>)?\(", kernel["display"])
                if found is None:
                    raise ValueError(f"the kernel '{kernel['display']}' has no name")
                spelling, name = found[1] or ORIGINAL, found[2]
                for alias in ALIASES.get(name, (name,)):
                    executions[alias, spelling] = kernel["execution"]
    return executions


def describe_spellings(
    comparisons: Sequence[Comparison], executions: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    """Yield the lines of the tables.

    Args:
        comparisons: One per case and spelling, whose peer is OpenMP. ``case`` is the name, the
            size, and the spelling.
        executions: The execution models by the names of kernels and spellings.
    """
    ratios: dict[tuple[str, str], dict[str, float]] = {}
    for comparison in comparisons:
        name, size, spelling = comparison.case.split()
        ratios.setdefault((name, size), {})[spelling] = statistics.median(comparison.ratios)
    columns = "".join(f"{spelling:>{WIDTH}}" for spelling in SPELLINGS)
    yield f"{'kbuild / OpenMP':<26}{columns}{'slow/fast':>{WIDTH}}"
    for (name, size), row in ratios.items():
        cells = "".join(f"{row[spelling]:>{WIDTH}.2f}" for spelling in SPELLINGS)
        spread = max(row.values()) / min(row.values())
        yield f"{f'{name} {size}':<26}{cells}{spread:>{WIDTH}.2f}"
    columns = "".join(
        f"{statistics.geometric_mean([row[spelling] for row in ratios.values()]):>{WIDTH}.2f}"
        for spelling in SPELLINGS
    )
    spreads = [max(row.values()) / min(row.values()) for row in ratios.values()]
    yield f"{'geometric mean':<26}{columns}{statistics.geometric_mean(spreads):>{WIDTH}.2f}"
    everything = [ratio for row in ratios.values() for ratio in row.values()]
    yield (
        f"all {len(everything)} kernels: {statistics.geometric_mean(everything):.2f} x OpenMP, "
        f"geometric mean; {max(everything):.2f} at most; slowest/fastest {max(spreads):.2f} at most"
    )
    yield ""
    yield from _describe_executions([name for name, _ in ratios], executions)


def _describe_executions(
    names: Sequence[str], executions: Mapping[tuple[str, str], str]
) -> Iterator[str]:
    yield f"{'execution':<26}{''.join(f'{spelling:>{WIDTH}}' for spelling in SPELLINGS)}"
    for name in names:
        models = [executions[name, spelling].partition(":")[0] for spelling in SPELLINGS]
        yield f"{name:<26}{''.join(f'{model:>{WIDTH}}' for model in models)}"
    for spelling in SPELLINGS:
        for name in names:
            model, _, reason = executions[name, spelling].partition(": ")
            if reason:
                yield f"{spelling}: {name}: {model}: {reason}"
