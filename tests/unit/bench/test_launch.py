"""What is measured if Valgrind or a device is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from kbuild.backends.cuda import build as cuda
from kbuild.backends.interface.toolchain import Toolchain
from kbuild.bench import counting, launch, timing
from kbuild.bench.launch import Measure, measure_launches
from kbuild.bench.results import Timing
from kbuild.errors import ToolchainError

NVCC = Toolchain(backend="cuda", compiler=Path("nvcc"), compiler_id="nvcc", version="13.0")
PROJECT = timing.TimedProject(source=Path("s"), toolchain=NVCC, architecture="sm_90")
TIMING = Timing(device="A device", modes=())


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Simulate a machine with Valgrind and a device, on which measuring takes no time."""
    monkeypatch.setattr(launch, "find_program", lambda _: Path("/valgrind"))
    monkeypatch.setattr(timing, "find_timed_project", lambda _: PROJECT)
    monkeypatch.setattr(timing, "time_launches", lambda *_: TIMING)
    monkeypatch.setattr(counting, "count_launches", lambda *_: ("counts",))
    monkeypatch.setattr(counting, "describe_tool", lambda _: "valgrind-3")
    return monkeypatch


@pytest.mark.parametrize(
    ("only", "is_counted", "is_timed"),
    [(None, True, True), ("count", True, False), ("time", False, True)],
)
def test_counts_times_or_both_are_measured_as_requested(
    machine: pytest.MonkeyPatch,  # noqa: ARG001 - a fixture
    only: Measure | None,
    is_counted: bool,
    is_timed: bool,
) -> None:
    report = measure_launches(cuda, batches=1, only=only)

    assert (bool(report.counted), report.timing is not None) == (is_counted, is_timed)
    assert (report.valgrind is not None) == is_counted
    assert report.left_out == ()


def test_times_are_measured_without_valgrind(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(launch, "find_program", lambda _: None)

    report = measure_launches(cuda, batches=1)

    assert (report.counted, report.valgrind, report.timing) == ((), None, TIMING)
    (reason,) = report.left_out
    assert "valgrind not found" in reason


def test_counts_are_measured_without_a_device(machine: pytest.MonkeyPatch) -> None:
    machine.setattr(timing, "find_timed_project", lambda _: None)

    report = measure_launches(cuda, batches=1)

    assert report.counted
    assert report.left_out == ("no device found to time launches of backend 'cuda'",)


@pytest.mark.parametrize(
    ("only", "missing", "other"),
    [
        (None, ("valgrind not found", "no device found"), "nothing"),
        ("count", ("valgrind not found",), "no device found"),
        ("time", ("no device found",), "valgrind"),
    ],
)
def test_error_names_everything_that_is_missing(
    machine: pytest.MonkeyPatch, only: Measure | None, missing: tuple[str, ...], other: str
) -> None:
    machine.setattr(launch, "find_program", lambda _: None)
    machine.setattr(timing, "find_timed_project", lambda _: None)

    with pytest.raises(ToolchainError) as caught:
        measure_launches(cuda, batches=1, only=only)

    assert all(text in str(caught.value) for text in missing)
    assert other not in str(caught.value)
