"""Tests for the text and JSON of `kbuild bench launch`."""

from __future__ import annotations

import json
from dataclasses import replace

from kbuild.bench.results import (
    CountedCompiler,
    CountedWay,
    LaunchReport,
    TimedMode,
    TimedWay,
    Timing,
)
from kbuild.report.bench import render_json, render_text

STUBBED = "int kbuild::detail::through<int, float*>(void (*)(int, float*), int) [clone .isra.0]"
BY_HAND = CountedWay(
    name="by hand", entry="launch", instructions=40, excess=None, passed=(), stand_ins=()
)
REPORT = LaunchReport(
    backend="cpu",
    options="-O2",
    valgrind="valgrind-3.19.0",
    counted=(
        CountedCompiler(
            compiler="g++ 12.2.0",
            ways=(
                BY_HAND,
                replace(
                    BY_HAND,
                    name="stub",
                    instructions=52,
                    excess=12,
                    passed=(STUBBED, "inside libx.so.1", "push"),
                    stand_ins=("push",),
                ),
            ),
        ),
    ),
)
TIMING = Timing(
    device="A device (sm_90), CUDA 13.0",
    modes=(
        TimedMode(
            name="enqueue",
            ways=(
                TimedWay(name="peer", nanoseconds=2000.4, ratio=1, low=1, high=1, batches=3),
                TimedWay(name="ours", nanoseconds=1000, ratio=0.5, low=0.25, high=0.75, batches=3),
            ),
        ),
    ),
)


def test_text_has_one_row_per_way() -> None:
    lines = [line.split() for line in render_text(REPORT).splitlines()]

    assert ["by", "hand", "40", "-", "launch", "none"] in lines
    stub = next(line for line in lines if line[:1] == ["stub"])
    assert stub[1:4] == ["52", "+12", "launch"]
    shown = "kbuild::detail::through, inside libx.so.1, push (stand-in)"
    assert " ".join(stub[4:]) == shown


def test_text_says_what_was_left_out() -> None:
    text = render_text(replace(REPORT, left_out=("no device here",)))
    assert text.endswith("\n\nleft out: no device here\n")
    assert "left out" not in render_text(REPORT)

    timed = replace(REPORT, valgrind=None, counted=(), timing=TIMING, left_out=("no valgrind",))
    lines = render_text(timed).splitlines()
    assert lines[0].startswith("backend cpu: A device (sm_90)")
    assert lines[-1] == "left out: no valgrind"
    assert "instructions" not in render_text(timed)


def test_text_has_times_if_there_is_a_device() -> None:
    lines = render_text(replace(REPORT, timing=TIMING)).splitlines()

    assert "A device (sm_90), CUDA 13.0; medians, no profiler, ratios paired by batch" in lines
    assert lines[-1].split() == ["ours", "1000", "0.500", "0.250", "..", "0.750", "3"]


def test_json_has_every_field() -> None:
    document = json.loads(render_json(replace(REPORT, timing=TIMING)))

    assert document["schema"] == "kbuild.bench.launch/1"
    assert document["counted"][0]["ways"][1]["passed"] == [STUBBED, "inside libx.so.1", "push"]
    assert document["timing"]["modes"][0]["ways"][1]["ratio"] == 0.5
    assert json.loads(render_json(REPORT))["timing"] is None
    assert json.loads(render_json(REPORT))["left_out"] == []
