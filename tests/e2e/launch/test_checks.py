"""Messages of debug stubs: about invalid launches, and about each launch with KBUILD_TRACE."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support.commands import PROJECTS, build, configure, succeed

PROJECT = PROJECTS / "launch_checks"
KERNEL = "ns::set(int, float, Pair, Mode, bool, unsigned char, float*)"
TRACE = "kbuild-trace: "
LAUNCHES = 4 * 100 * 2


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("checks")
    succeed(configure(PROJECT, directory, "ARCHITECTURES=x86-64"))
    succeed(build(directory, "ON_wrong", "ON_limits", "ON_many", "OFF_wrong"))
    return directory


def start(program: Path, trace: str | Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "KBUILD_TRACE"}
    if trace is not None:
        environment["KBUILD_TRACE"] = str(trace)
    return subprocess.run([program], capture_output=True, text=True, check=False, env=environment)


def find_line(text: str) -> int:
    lines = (PROJECT / "wrong.cpp").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_invalid_launch_is_reported_with_its_location(built: Path) -> None:
    result = start(built / "ON_wrong")

    assert result.returncode == 0
    lines = result.stderr.splitlines()
    source = PROJECT / "wrong.cpp"
    front = f"kbuild: launch of {KERNEL} at {source}:"
    assert all(line.startswith(front) for line in lines), result.stderr
    found = [line.removeprefix(front) for line in lines]
    numbers = [find_line(t) for t in ("1, 2048", "0, 1", "1} << 30")]
    assert found[0] == f"{numbers[0]}: note: out is a null pointer"
    assert found[1].startswith(f"{numbers[0]}: the block is (2048, 1, 1), but must be")
    assert found[2] == f"{numbers[1]}: the grid is (0, 1, 1), but grid.x must be at least 1"
    assert found[3].startswith(f"{numbers[2]}: the launch requests 1073741824 bytes of dynamic")
    assert len(found) == 4  # one message about the null pointer, and none about valid launches
    codes = [line.split()[0] for line in result.stdout.splitlines()]
    assert codes == ["1", "1", "1", "0", "0"]


def test_cpu_knows_launch_bounds_and_accepts_large_grids(built: Path) -> None:
    result = start(built / "ON_limits")

    assert result.stdout.split() == ["1", "0", "0", "0"]
    assert "the block (128, 1, 1) has 128 threads, but the __launch_bounds__" in result.stderr
    assert result.stderr.count("note: in is a null pointer") == 1
    assert result.stderr.count("\n") == 2


def test_launches_without_stubs_say_nothing(built: Path) -> None:
    result = start(built / "OFF_wrong", trace="1")

    assert result.stderr == ""
    assert result.stdout == start(built / "ON_wrong").stdout
    symbols = subprocess.run(
        ["nm", "-C", built / "libOFF_kernels.so"], capture_output=True, text=True, check=True
    ).stdout
    assert not re.search(r"kbuild_(trace|check|report|note)", symbols)


def test_trace_lines_have_names_and_values(built: Path) -> None:
    result = start(built / "ON_wrong", trace="1")

    lines = [line for line in result.stderr.splitlines() if line.startswith(TRACE)]
    events = [json.loads(line.removeprefix(TRACE)) for line in lines]
    assert [event["result"] for event in events] == [1, 1, 1, 0, 0]
    last = events[-1]
    assert last["kernel"] == KERNEL
    assert (last["grid"], last["block"]) == ([1, 1, 1], [32, 1, 1])
    assert last["arguments"] == {
        "n": 4,
        "value": 1,
        "pair": "0100000000002040",
        "mode": 3,
        "flag": True,
        "byte": 200,
        "out": "0x0",
    }
    assert events[-2]["arguments"]["value"] == "inf"
    assert events[0]["shared_bytes"] == 0
    assert events[2]["shared_bytes"] == 1 << 30
    assert last["file"] == str(PROJECT / "wrong.cpp")
    assert last["host_ns"] >= 0


def count_launches(events: list[dict[str, Any]], key: str) -> dict[str, int]:
    names = [event[key] for event in events]
    return {name: names.count(name) for name in set(names)}


def test_lines_of_threads_do_not_mix(built: Path) -> None:
    result = start(built / "ON_many", trace="1")

    assert result.returncode == 0
    lines = result.stderr.splitlines()
    assert all(line.startswith(TRACE) for line in lines)
    events = [json.loads(line.removeprefix(TRACE)) for line in lines]
    assert count_launches(events, "kernel") == {KERNEL: 400, "other(int)": 401}
    assert len({event["tid"] for event in events}) == 5
    assert len({event["pid"] for event in events}) == 2


def test_targets_share_a_complete_trace_file(built: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace.json"

    for _ in range(2):  # the second process replaces the file of the first one
        result = start(built / "ON_many", trace=file)
        assert (result.returncode, result.stderr) == (0, "")

    process, *events = json.loads(file.read_text())
    assert process["ph"] == "M"
    assert count_launches(events, "name") == {KERNEL: 400, "other(int)": 400}
    for event in events:
        assert (event["ph"], event["cat"]) == ("X", "launch")
        assert event["dur"] >= 0
        assert set(event["args"]) >= {"grid", "block", "shared_bytes", "stream", "arguments"}
    # The child wrote another file, because the file belongs to the parent.
    others = list(tmp_path.glob("trace.json.*"))
    assert len(others) == 2
    _, child = json.loads(others[0].read_text())
    assert child["args"]["arguments"] == {"n": -1}


def test_trace_that_cannot_be_written_does_not_stop_the_program(
    built: Path, tmp_path: Path
) -> None:
    path = tmp_path / "no/directory.json"
    result = start(built / "ON_many", trace=path)

    assert result.returncode == 0
    message = f"kbuild: KBUILD_TRACE: {path}: No such file or directory; nothing is traced"
    # Not at every launch, but once per library, and once in a child process.
    assert result.stderr.splitlines() == [message] * 3


@pytest.mark.parametrize("content", ['{"settings": 1}\n', "[\n", "[\n{}\n]\n", "x" * 5000])
def test_file_that_is_not_a_trace_is_unchanged(content: str, built: Path, tmp_path: Path) -> None:
    file = tmp_path / "settings.json"
    file.write_text(content)

    result = start(built / "ON_wrong", trace=file)

    assert result.returncode == 0
    assert file.read_text() == content
    assert (
        result.stderr.count(f"kbuild: KBUILD_TRACE: {file}: the file exists and is not a trace")
        == 1
    )


def test_trace_is_written_to_empty_files_but_not_to_devices(built: Path, tmp_path: Path) -> None:
    file = tmp_path / "trace"  # no suffix: the value has a slash
    file.touch()
    assert "KBUILD_TRACE" not in start(built / "ON_wrong", trace=file).stderr
    assert len(json.loads(file.read_text())) == 1 + 5

    os.mkfifo(tmp_path / "pipe")
    for special in ("/dev/null", tmp_path / "pipe"):
        result = start(built / "ON_wrong", trace=special)
        message = f"kbuild: KBUILD_TRACE: {special}: not a regular file; nothing is traced"
        assert message in result.stderr.splitlines()


@pytest.mark.parametrize("value", ["yes", "2", "on", "true", "json", "trace.json.gz"])
def test_invalid_trace_settings_are_rejected(value: str, built: Path, tmp_path: Path) -> None:
    result = subprocess.run(
        [built / "ON_wrong"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "KBUILD_TRACE": value},
    )

    assert result.stderr.count(f"kbuild: KBUILD_TRACE: {value}: expected 1 (lines on stderr)") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("value", ["", "0"])
def test_trace_can_be_switched_off(value: str, built: Path) -> None:
    assert start(built / "ON_wrong", trace=value).stderr == start(built / "ON_wrong").stderr
