"""Launch records from a real GPU; the tests are skipped with a reason without one."""

from __future__ import annotations

import json
import os
import struct
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from kbuild import replay_launch, resources
from kbuild.backends.cuda import build as cuda
from kbuild.errors import ToolchainError
from kbuild.runtime.launch_records.file import (
    CapturedBuffer,
    CapturedPointer,
    LaunchOutcome,
    LaunchRecord,
    read_images,
    read_launch_record,
)
from kbuild.toolchain.devices import list_devices
from kbuild.toolchain.find import find_toolchain, gather_hints
from support.commands import PROJECTS


def missing() -> str:
    if not list_devices():
        return "no NVIDIA device"
    try:
        find_toolchain(cuda, gather_hints())
    except ToolchainError as error:
        return str(error)
    return ""


pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(bool(missing()), reason=missing() or "there is a device"),
]

PROJECT = PROJECTS / "launch_capture"
KBUILD = os.environ.get("KBUILD_EXECUTABLE", str(Path(sysconfig.get_path("scripts")) / "kbuild"))


@pytest.fixture(scope="module")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("capture")
    architecture = list_devices()[0].architecture.removeprefix("sm_")
    settings = {
        "kbuild_DIR": resources.cmake_directory(),
        "KBUILD_EXECUTABLE": KBUILD,
        "BACKEND": "cuda",
        "CMAKE_CUDA_ARCHITECTURES": f"{architecture}-real",
    }
    definitions = [f"-D{name}={value}" for name, value in settings.items()]
    configure = ["cmake", "-S", str(PROJECT), "-B", str(directory), "-G", "Ninja", *definitions]
    for command in (configure, ["cmake", "--build", str(directory)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return directory / "launcher"


def start(launcher: Path, what: str, directory: Path) -> tuple[list[LaunchRecord], list[object]]:
    """Run the program; return its records and the values that it printed."""
    environment = {**os.environ, "KBUILD_CAPTURE": str(directory)}
    done = subprocess.run(
        [launcher, what], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    files = sorted(directory.iterdir(), key=lambda p: int(p.stem.rpartition("-")[2]))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [read_launch_record(file) for file in files], [[*line.values()][-1] for line in lines]


def content_of(buffer: CapturedBuffer) -> bytes:
    assert buffer.content is not None
    assert len(buffer.content) == buffer.size
    return bytes(buffer.content)


def test_record_contains_what_the_program_passed(launcher: Path, tmp_path: Path) -> None:
    (record,), (x, y, result, code) = start(launcher, "mix", tmp_path)

    assert (result, code) == (10.5, 0)
    assert isinstance(x, int)
    packed = struct.pack("<i4xdifB7xQQQQ", 8, 0.5, -7, 2.5, 1, x, y, x + 12, 0)
    assert record.arguments == packed
    assert record.pointers == (
        CapturedPointer(offset=32, buffer=0),
        CapturedPointer(offset=40, buffer=1),
        CapturedPointer(offset=48, buffer=0, buffer_offset=12),
    )
    assert [buffer.address for buffer in record.buffers] == [x, y]
    first, second = map(content_of, record.buffers)
    # The driver can report a larger size than the program requested.
    assert first[:32] == struct.pack("<8f", *range(1, 9))
    assert second[:400] == struct.pack("<f", -1) * 100
    assert record.outcome == LaunchOutcome(code=0)
    assert "(sm_" in (record.origin.device or "")
    assert (record.origin.driver or "").startswith("CUDA ")
    assert [image.kind for image in read_images(record)][:1] == ["elf"]


def test_structs_are_searched_for_pointers(launcher: Path, tmp_path: Path) -> None:
    (record,), _ = start(launcher, "fill", tmp_path)

    assert record.pointers == (CapturedPointer(offset=8, buffer=0),)
    assert content_of(record.buffers[0])[:40] == bytes(40)


def test_record_contains_late_errors(launcher: Path, tmp_path: Path) -> None:
    (record,), (code,) = start(launcher, "break_down", tmp_path)

    assert code == 0  # the launch call succeeded, and the program did not wait
    assert record.outcome is not None
    assert record.outcome.is_late
    assert "illegal memory access" in record.outcome.message


def test_record_of_a_failed_launch_has_the_error(launcher: Path, tmp_path: Path) -> None:
    (record,), (code,) = start(launcher, "fail", tmp_path)

    assert record.outcome is not None
    assert (record.outcome.code, record.outcome.is_late) == (code, False)
    assert content_of(record.buffers[0])[:4] == struct.pack("<f", 1)


def test_capturing_does_not_disturb_cuda_graphs(launcher: Path, tmp_path: Path) -> None:
    (record,), values = start(launcher, "graph", tmp_path)

    assert values == [3, 0]
    assert record.outcome is None
    assert "no-buffers" in [note.kind for note in record.notes]
    assert record.buffers == ()


def test_managed_memory_is_captured_and_host_memory_is_not(launcher: Path, tmp_path: Path) -> None:
    (managed, pinned), values = start(launcher, "managed", tmp_path)

    assert values == [15, 0]
    assert managed.pointers[0].buffer_offset == 4
    assert content_of(managed.buffers[0])[4:8] == struct.pack("<f", 5)
    assert "managed-memory" in [note.kind for note in managed.notes]
    assert pinned.buffers == ()
    assert "host-memory" in [note.kind for note in pinned.notes]


def test_launches_of_several_threads_are_captured(launcher: Path, tmp_path: Path) -> None:
    records, _ = start(launcher, "many", tmp_path)

    assert len(records) == 80
    assert all(record.outcome == LaunchOutcome(code=0) for record in records)


def test_replay_repeats_the_launch(launcher: Path, tmp_path: Path) -> None:
    start(launcher, "mix", tmp_path)
    (file,) = tmp_path.iterdir()

    replay = replay_launch(read_launch_record(file))

    assert replay.outcome == LaunchOutcome(code=0)
    assert (replay.seconds or 0) > 0
    after = replay.buffers[1].after
    assert after is not None
    assert after[:32] == struct.pack("<8f", *(x * 0.5 + 2.5 + 4 for x in range(1, 9)))
    assert after[32:400] == struct.pack("<f", -1) * 92


def test_replay_of_a_late_failure_fails(launcher: Path, tmp_path: Path) -> None:
    start(launcher, "break_down", tmp_path)
    (file,) = tmp_path.iterdir()

    done = subprocess.run(
        [sys.executable, "-m", "kbuild", "replay", file],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 1, done.stderr
    assert "now:  failed" in done.stdout
    assert "CUDA_ERROR_ILLEGAL_ADDRESS" in done.stdout
