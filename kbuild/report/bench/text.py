"""`kbuild bench launch` for people."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kbuild.bench.results import INSIDE, CountedCompiler, LaunchReport, TimedMode, Timing
from kbuild.report.layout import format_table, join_lines


def render(report: LaunchReport) -> str:
    """Tables of instructions, then of times."""
    return join_lines(_list_lines(report))


def _list_lines(report: LaunchReport) -> Iterator[str]:
    front = f"backend {report.backend}: "
    if report.counted:
        yield f"{front}instructions a launch, warm, from call site to entry and back"
        yield f"without the entry's own; host code with {report.options}; counted by"
        yield f"{report.valgrind}, launches taken by a stand-in, so that no device is needed"
    for counted in report.counted:
        yield ""
        yield from _list_counts(counted)
    if report.timing is not None:
        yield from ("",) if report.counted else ()
        times = list_times(report.timing)
        yield ("" if report.counted else front) + next(times)
        yield from times
    yield from ("",) if report.left_out else ()
    yield from (f"left out: {reason}" for reason in report.left_out)


def _list_counts(counted: CountedCompiler) -> Iterator[str]:
    yield counted.compiler
    rows = [("launch", "instructions", "above by hand", "entry", "functions on the way")]
    for way in counted.ways:
        names = (
            f"{_shorten(name)} (stand-in)" if name in way.stand_ins else _shorten(name)
            for name in way.passed
        )
        passed = ", ".join(dict.fromkeys(names))
        excess = "-" if way.excess is None else f"{way.excess:+d}"
        rows.append((way.name, str(way.instructions), excess, way.entry, passed or "none"))
    yield from format_table(rows)


def _shorten(name: str) -> str:
    """A demangled function without its result, template arguments and parameters."""
    if name.startswith(INSIDE):
        return name
    bare = re.split(r"[<(]", name.replace("(anonymous namespace)::", ""), maxsplit=1)[0]
    # `type const** std::f<type>(...)` is cut at a bracket of its result or after its name.
    return bare.rpartition(" ")[2].lstrip("*&") or name


def list_times(timing: Timing) -> Iterator[str]:
    """The tables of times alone, line by line."""
    yield f"{timing.device}; medians, no profiler, ratios paired by batch"
    for mode in timing.modes:
        yield ""
        yield from _list_mode(mode)


def _list_mode(mode: TimedMode) -> Iterator[str]:
    rows = [(mode.name, "ns", f"/ {mode.ways[0].name}", "quartiles", "batches")]
    rows += [
        (
            way.name,
            f"{way.nanoseconds:.0f}",
            f"{way.ratio:.3f}",
            f"{way.low:.3f} .. {way.high:.3f}",
            str(way.batches),
        )
        for way in mode.ways
    ]
    yield from format_table(rows)
