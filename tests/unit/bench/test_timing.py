"""Computing medians and paired ratios from samples of launches."""

from __future__ import annotations

import pytest

from kbuild.backends.cpu import build as cpu
from kbuild.bench.timing import Sample, find_timed_project, read_sample, summarize
from kbuild.errors import ToolError


def make_samples(way: str, *nanoseconds: float) -> list[Sample]:
    return [Sample(mode="enqueue", way=way, nanoseconds=value) for value in nanoseconds]


def test_ratios_compare_samples_of_the_same_batch() -> None:
    samples = [*make_samples("ours", 20, 30, 80), *make_samples("peer", 10, 30, 40)]

    (mode,) = summarize(samples, ("peer", "ours", "not run"))

    peer, ours = mode.ways
    assert (peer.name, peer.ratio, peer.low, peer.high) == ("peer", 1, 1, 1)
    assert (ours.name, ours.nanoseconds, ours.ratio, ours.batches) == ("ours", 30, 2, 3)
    assert (ours.low, ours.high) == (1.5, 2)


def test_one_batch_has_no_spread() -> None:
    (mode,) = summarize(make_samples("peer", 10), ("peer",))

    assert (mode.ways[0].low, mode.ways[0].high) == (1, 1)


def test_output_line_is_parsed() -> None:
    assert read_sample("sample\tenqueue\tways, all\t12.50") == Sample(
        mode="enqueue", way="ways, all", nanoseconds=12.5
    )
    with pytest.raises(ToolError, match="unexpected output"):
        read_sample("no sample")


def test_launches_on_the_cpu_are_not_timed() -> None:
    assert find_timed_project(cpu) is None
