"""Read and compare what the programs print: a name, a number, a parameter, and elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Results = dict[tuple[str, int, str], np.ndarray[Any, Any]]


def read_results(text: str) -> Results:
    """Return the elements by name, number, and parameter. Lines that begin with # are remarks."""
    results: Results = {}
    for line in text.splitlines():
        if line.startswith("#"):
            continue
        name, number, parameter, *elements = line.split()
        results[name, int(number), parameter] = np.array([float(e) for e in elements])
    return results


def measure_error(ours: np.ndarray[Any, Any], theirs: np.ndarray[Any, Any]) -> float:
    """Return the largest difference, relative to the largest element."""
    if ours.shape != theirs.shape:
        return float("inf")
    if not ours.size:
        return 0.0
    size = max(1.0, float(np.max(np.abs(theirs))))
    difference = np.max(np.abs(ours - theirs)) / size
    return float("inf") if np.isnan(difference) else float(difference)


def list_differences(ours: Results, theirs: Results, bound: float) -> Iterator[str]:
    """Yield a line for each result that differs by more than a bound, or that is missing."""
    for key in sorted(ours.keys() | theirs.keys()):
        name = " ".join(map(str, key))
        if key not in ours or key not in theirs:
            yield f"{name}: only in {'theirs' if key in theirs else 'ours'}"
        elif (error := measure_error(ours[key], theirs[key])) > bound:
            yield f"{name}: {error:g}: {ours[key][:6]} {theirs[key][:6]}"
