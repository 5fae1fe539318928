"""Compare how often two runs launch their kernels."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from kbuild.diff.model import FunctionChange, LaunchChange

# See `kbuild.runtime.launch_dump`.
_LAUNCHES: Final = ".kbuild-launches"


def compare_launches(
    old: Path, new: Path, functions: Iterable[FunctionChange]
) -> tuple[LaunchChange, ...]:
    """Return the kernels that tests launch another number of times, in the order of their names.

    Args:
        old: The directory that the first run wrote.
        new: The directory that the second run wrote.
        functions: The differences of kernels. One that has another name is the same kernel.
    """
    names = {f.old_display: f.display for f in functions if f.status in ("renamed", "signature")}
    before: Counter[tuple[str, str]] = Counter()
    for (test, kernel), count in _count(old).items():
        before[test, names.get(kernel, kernel)] += count
    after = _count(new)
    return tuple(
        LaunchChange(test=test, kernel=kernel, old=before[test, kernel], new=after[test, kernel])
        for test, kernel in sorted(before.keys() | after.keys())
        if before[test, kernel] != after[test, kernel]
    )


def _count(directory: Path) -> Counter[tuple[str, str]]:
    return Counter(
        (test, kernel)
        for file in directory.rglob(_LAUNCHES)
        for test, kernel in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    )
