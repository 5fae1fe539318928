"""The reports of `kbuild bench launch`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from kbuild.bench.results import INSIDE, CountedCompiler, LaunchReport, TimedMode, Timing
from kbuild.report.document import render_document
from kbuild.report.layout import format_table, join_lines
from kbuild.report.styles import Line

SCHEMA: Final = "kbuild.bench.launch/1"


def render_json(report: LaunchReport) -> str:
    """Return the report as versioned JSON."""
    return render_document(SCHEMA, report)


def render_text(report: LaunchReport) -> str:
    """Return the tables of instruction counts, followed by the tables of times."""
    return join_lines(_list_lines(report))


def _list_lines(report: LaunchReport) -> Iterator[Line]:
    front = f"backend {report.backend}: "
    if report.counted:
        yield f"{front}instructions per warm launch, from the call site to the entry and back,"
        yield f"without those of the entry itself; host code compiled with {report.options};"
        yield f"counted by {report.valgrind}; a stand-in for the runtime takes the launches, so"
        yield "that no device is needed"
    for counted in report.counted:
        yield ""
        yield from _list_counts(counted)
    if report.timing is not None:
        yield from ("",) if report.counted else ()
        yield from _list_times(report.timing, "" if report.counted else front)
    yield from ("",) if report.left_out else ()
    yield from (f"left out: {reason}" for reason in report.left_out)


def _list_counts(counted: CountedCompiler) -> Iterator[Line]:
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
    """Return a demangled function without its result, template arguments, and parameters."""
    if name.startswith(INSIDE):
        return name
    bare = re.split(r"[<(]", name.replace("(anonymous namespace)::", ""), maxsplit=1)[0]
    # The split cuts `type const** std::f<type>(...)` inside its result or after its name.
    return bare.rpartition(" ")[2].lstrip("*&") or name


def render_times(timing: Timing) -> str:
    """Return the tables of times."""
    return join_lines(_list_times(timing))


def _list_times(timing: Timing, front: str = "") -> Iterator[Line]:
    yield f"{front}{timing.device}; medians, no profiler, ratios paired by batch"
    for mode in timing.modes:
        yield ""
        yield from _list_mode(mode)


def _list_mode(mode: TimedMode) -> Iterator[Line]:
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
