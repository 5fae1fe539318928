"""KBUILD_CAPTURE: launch records of programs, compared with what the programs launched."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import struct
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from kbuild.cli.main import main
from kbuild.files import sha256
from kbuild.runtime.launch_records.file import (
    CapturedPointer,
    LaunchOutcome,
    LaunchRecord,
    RecordedConfig,
    read_images,
    read_launch_record,
)
from kbuild.toolchain.devices import list_devices
from support.commands import PROJECTS, configure_and_build
from support.tools.nvidia_compiler import needs_nvcc

PROJECT = PROJECTS / "launch_capture"
FLOATS = struct.Struct("<8f")


@dataclass(frozen=True)
class Run:
    """The output of a program, and its records in the order of their numbers."""

    returncode: int
    printed: list[dict[str, object]]
    stderr: str
    records: tuple[LaunchRecord, ...]

    def address_of(self, name: str) -> int:
        (address,) = (line["address"] for line in self.printed if line.get("name") == name)
        assert isinstance(address, int)
        return address


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("capture")
    configure_and_build(PROJECT, directory, "ARCHITECTURES=x86-64")
    return directory


def start(
    program: Path,
    what: str,
    directory: Path,
    prepare: Callable[[], None] | None = None,
    **more: str,
) -> Run:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("KBUILD_CAPTURE")}
    result = subprocess.run(
        [program, what],
        capture_output=True,
        text=True,
        check=False,
        env={**environment, "KBUILD_CAPTURE": str(directory), **more},
        preexec_fn=prepare,
    )
    files = sorted(directory.glob("*.launch"), key=lambda p: int(p.stem.rpartition("-")[2]))
    return Run(
        returncode=result.returncode,
        printed=[json.loads(line) for line in result.stdout.splitlines()],
        stderr=result.stderr,
        records=tuple(map(read_launch_record, files)),
    )


def kinds(record: LaunchRecord) -> list[str]:
    return [note.kind for note in record.notes]


def find_line(text: str) -> int:
    lines = (PROJECT / "main.cpp").read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_record_contains_what_the_program_passed(built: Path, tmp_path: Path) -> None:
    directory = tmp_path / "created"
    run = start(built / "launcher", "mix", directory)

    assert run.printed[-1] == {"code": 0}
    (record,) = run.records
    (file,) = directory.iterdir()
    assert file.name.startswith("mix-")
    assert record.backend == "cpu"
    assert record.kernel.display.startswith("ns::mix(int, double, Pair, bool, float const*")
    assert [param.name for param in record.kernel.params][:3] == ["n", "scale", "pair"]
    assert record.config == RecordedConfig(grid=(2, 1, 1), block=(32, 2, 1), shared_bytes=48)
    x, y = run.address_of("x"), run.address_of("y")
    packed = struct.pack("<i4xdifB7xQQQQ", 8, 0.5, -7, 2.5, 1, x, y, x + 12, 0)
    assert record.arguments == packed
    # Two pointers into one allocation, one of them to its middle, share a buffer.
    assert record.pointers == (
        CapturedPointer(offset=32, buffer=0),
        CapturedPointer(offset=40, buffer=1),
        CapturedPointer(offset=48, buffer=0, buffer_offset=12),
    )
    assert [(b.address, b.size) for b in record.buffers] == [(x, 32), (y, 400)]
    first, second = (b.content for b in record.buffers)
    assert first == FLOATS.pack(*range(1, 9))
    assert second == struct.pack("<f", -1) * 100  # as before the launch
    assert record.outcome == LaunchOutcome(code=0)


def test_record_names_the_origin_of_the_launch(built: Path, tmp_path: Path) -> None:
    (record,) = start(built / "launcher", "mix", tmp_path).records

    origin = record.origin
    assert origin.program == str(built / "launcher")
    assert (origin.target, origin.file) == ("captured", str(PROJECT / "main.cpp"))
    assert origin.line in range(
        find_line("the launch of mix") - 1, find_line("the launch of mix") + 1
    )
    assert origin.version is not None
    (variables,) = (note for note in record.notes if note.kind == "device-variables")
    assert variables.message.endswith("not captured: factors")


def test_record_contains_the_code(built: Path, tmp_path: Path) -> None:
    (record,) = start(built / "launcher", "mix", tmp_path).records

    described = record.code.described
    assert described is not None
    images = read_images(record)
    assert [image.arch for image in described.images] == [image.arch for image in images]
    for listed, image in zip(described.images, images, strict=True):
        assert sha256(bytes(image.content)) == listed.sha256


def test_structs_are_searched_for_pointers(built: Path, tmp_path: Path) -> None:
    run = start(built / "launcher", "fill", tmp_path)

    (record,) = run.records
    x, local = run.address_of("x"), run.address_of("local")
    # The padding between the members is ignored.
    assert struct.unpack("<i4xQQf", record.arguments) == (10, x, local, 4)
    assert record.pointers == (CapturedPointer(offset=8, buffer=0),)
    assert record.buffers[0].content == bytes(40)
    assert kinds(record)[-2:] == ["taken-for-pointer", "opaque"]
    assert "words treated as pointers: 1;" in record.notes[-1].message
    assert record.notes[-1].param == 0


def test_memory_of_unknown_extent_has_a_note(built: Path, tmp_path: Path) -> None:
    run = start(built / "launcher", "stack", tmp_path)

    (record,) = run.records
    assert record.kernel.display == "void ns::add<float>(float*, float)"
    assert (record.pointers, record.buffers) == ((), ())
    assert kinds(record)[-1] == "unknown-extent"
    assert record.notes[-1].message.startswith(
        f"out points to {run.address_of('local'):#x} in memory"
    )


def test_launch_that_crashes_the_program_leaves_a_record(built: Path, tmp_path: Path) -> None:
    run = start(built / "launcher", "break_down", tmp_path)

    assert run.returncode == -signal.SIGSEGV
    (record,) = run.records
    assert record.outcome is None
    assert record.arguments == bytes(8)


def test_record_of_a_failed_launch_has_the_error(built: Path, tmp_path: Path) -> None:
    run = start(built / "launcher", "fail", tmp_path)

    (record,) = run.records
    assert record.outcome is not None
    assert (record.outcome.code, record.outcome.is_late) == (1, False)
    assert "the grid is (0, 1, 1)" in record.outcome.message
    assert record.config.grid == (0, 1, 1)
    assert run.printed[-1] == {"code": 1}


def test_launches_of_several_threads_are_captured_up_to_the_limit(
    built: Path, tmp_path: Path
) -> None:
    run = start(built / "launcher", "many", tmp_path, KBUILD_CAPTURE_LIMIT="17")

    assert run.returncode == 0
    assert len(run.records) == 17
    assert all(record.outcome == LaunchOutcome(code=0) for record in run.records)
    (line,) = run.stderr.splitlines()
    assert line == (
        f"kbuild: KBUILD_CAPTURE: {tmp_path}: reached KBUILD_CAPTURE_LIMIT after 17 launches; "
        "nothing more is captured"
    )
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    ("pattern", "count"),
    [("add", 40), ("void ns::add<*", 40), ("ns::fill*", 40), ("nothing", 0), ("", 80)],
)
def test_kernels_are_selected_by_name(
    built: Path, tmp_path: Path, pattern: str, count: int
) -> None:
    run = start(built / "launcher", "many", tmp_path, KBUILD_CAPTURE_KERNEL=pattern)

    assert (len(run.records), run.stderr) == (count, "")


def test_large_buffers_are_omitted(built: Path, tmp_path: Path) -> None:
    run = start(built / "launcher", "mix", tmp_path, KBUILD_CAPTURE_BYTES="399")

    (record,) = run.records
    assert [buffer.size for buffer in record.buffers] == [32, 400]
    assert record.buffers[0].content == FLOATS.pack(*range(1, 9))
    assert record.buffers[1].content is None
    assert len(record.pointers) == 3
    (note,) = (note for note in record.notes if note.kind == "over-limit")
    assert note.param == 5
    assert "y points to is not captured: it has 400 bytes" in note.message


@pytest.mark.parametrize("variable", ["KBUILD_CAPTURE_LIMIT", "KBUILD_CAPTURE_BYTES"])
@pytest.mark.parametrize("value", ["many", "-1", "1G", "99999999999999999999"])
def test_settings_that_are_not_numbers_are_reported_once(
    built: Path, tmp_path: Path, variable: str, value: str
) -> None:
    run = start(built / "launcher", "many", tmp_path, None, **{variable: value})

    assert run.stderr.count(f"kbuild: {variable}: '{value}' is not a number") == 1
    assert len(run.records) == 80


@pytest.mark.parametrize("directory", ["no/directory", "file", "file/directory"])
def test_directory_that_cannot_be_written_does_not_stop_the_program(
    built: Path, tmp_path: Path, directory: str
) -> None:
    (tmp_path / "file").write_text("kept")
    run = start(built / "launcher", "many", tmp_path / directory)

    assert (run.returncode, run.printed) == (0, [{"code": 0}])
    (line,) = run.stderr.splitlines()
    assert line.startswith(f"kbuild: KBUILD_CAPTURE: {tmp_path / directory}: ")
    assert line.endswith("; nothing more is captured")
    assert (tmp_path / "file").read_text() == "kept"


def test_files_beyond_the_process_limit_do_not_end_the_program(built: Path, tmp_path: Path) -> None:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))

    run = start(built / "launcher", "many", tmp_path, prepare=limit)

    assert (run.returncode, run.records) == (0, ())
    assert run.stderr.count("File too large; nothing more is captured") == 1
    assert list(tmp_path.iterdir()) == []


def test_children_count_their_own_launches(built: Path, tmp_path: Path) -> None:
    run = start(built / "launcher", "fork", tmp_path, KBUILD_CAPTURE_LIMIT="1")

    assert run.returncode == 0
    assert len(run.records) == 2
    assert len({record.origin.pid for record in run.records}) == 2
    assert {record.buffers[0].content for record in run.records} == {
        struct.pack("<f", 1),
        struct.pack("<f", 2),
    }
    assert run.stderr.count("nothing more is captured") == 1


def test_names_that_are_not_utf8_are_readable(built: Path, tmp_path: Path) -> None:
    program = Path(os.fsdecode(os.fsencode(tmp_path) + b'/caf\xe9 "\xc3\xa9\\'))
    shutil.copy(built / "launcher", program)

    (record,) = start(program, "stack", tmp_path / "records").records

    assert record.origin.program == f'{tmp_path}/caf\ufffd "\xe9\\'


def test_records_of_earlier_runs_are_kept(built: Path, tmp_path: Path) -> None:
    for _ in range(2):
        start(built / "launcher", "fail", tmp_path)

    assert len(list(tmp_path.glob("add-*.launch"))) == 2


@pytest.mark.parametrize("value", ["", "0"])
def test_capturing_can_be_disabled(built: Path, tmp_path: Path, value: str) -> None:
    run = start(built / "launcher", "mix", tmp_path, KBUILD_CAPTURE=value)

    assert (run.records, run.printed[-1]) == ((), {"code": 0})
    assert not Path("0").exists()


def test_launches_without_stubs_are_not_captured(built: Path, tmp_path: Path) -> None:
    run = start(built / "plain_launcher", "mix", tmp_path / "new")

    assert (run.returncode, run.stderr) == (0, "")
    assert not (tmp_path / "new").exists()


@pytest.mark.slow
@needs_nvcc
@pytest.mark.skipif(bool(list_devices()), reason="there is a device; tests/gpu captures there")
def test_launch_without_a_device_says_so(tmp_path: Path) -> None:
    configure_and_build(PROJECT, tmp_path, "BACKEND=cuda", "CMAKE_CUDA_ARCHITECTURES=80")
    run = start(tmp_path / "launcher", "stack", tmp_path / "records")

    (record,) = run.records
    assert record.backend == "cuda"
    assert (record.outcome is not None and record.outcome.code) == run.printed[-1]["code"] != 0
    assert (record.pointers, record.buffers) == ((), ())
    assert "no-buffers" in kinds(record)
    images = [(image.arch, image.kind) for image in read_images(record)]
    assert ("sm_80", "elf") in images


def replay(file: Path, *words: str) -> tuple[int, dict[str, Any]]:
    """The exit code, and the JSON that the command wrote."""
    output = file.with_suffix(".json")
    code = main(["replay", str(file), "--format", "json", "-o", str(output), *words])
    return code, json.loads(output.read_text())


def test_replay_repeats_the_launch(built: Path, tmp_path: Path) -> None:
    start(built / "launcher", "mix", tmp_path)
    (file,) = tmp_path.glob("*.launch")

    code, report = replay(file, "--buffers", str(tmp_path / "after"))

    assert (code, report["schema"], report["ok"]) == (0, "kbuild.replay/1", True)
    assert [b["changed_bytes"] for b in report["buffers"]] == [0, 8 * 2]
    after = (tmp_path / "after" / "1.bin").read_bytes()
    assert after[:32] == FLOATS.pack(*(x * 0.5 + 2.5 + 4 for x in range(1, 9)))
    assert after[32:] == struct.pack("<f", -1) * 92
    assert (tmp_path / "after" / "0.bin").read_bytes() == FLOATS.pack(*range(1, 9))


def test_replay_shows_the_launch(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start(built / "launcher", "mix", tmp_path)
    (file,) = tmp_path.glob("*.launch")

    assert main(["replay", str(file)]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("ns::mix(int, double, Pair, bool, float const*")
    assert "  grid 2x1x1, block 32x2x1, 48 bytes of shared memory" in lines
    assert "  int n = 0x8" in lines
    assert any(line.endswith(" middle = buffer 0 + 12") for line in lines)
    assert "  then: succeeded" in lines
    assert any(line.startswith("  now:  succeeded, ") for line in lines)
    assert lines[-1].startswith("  buffer 1: 400 bytes, ")


def test_replay_of_a_failed_launch_fails(built: Path, tmp_path: Path) -> None:
    start(built / "launcher", "fail", tmp_path)
    (file,) = tmp_path.glob("*.launch")

    code, report = replay(file)

    assert code == 1
    assert report["outcome"]["message"] == "grid is 0; expected 1 to 4294967295"
    assert report["recorded_outcome"]["code"] == 1


def test_replay_of_a_crashing_launch_crashes(built: Path, tmp_path: Path) -> None:
    start(built / "launcher", "break_down", tmp_path)
    (file,) = tmp_path.glob("*.launch")

    words = [sys.executable, "-m", "kbuild", "replay", str(file)]
    done = subprocess.run(words, stdout=subprocess.PIPE, text=True, check=False)

    assert done.returncode == -signal.SIGSEGV
    assert "then: did not end" in done.stdout  # the launch was shown before the crash


def test_replay_without_captured_memory_is_rejected(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    start(built / "launcher", "stack", tmp_path)
    (file,) = tmp_path.glob("*.launch")

    assert main(["replay", str(file)]) == 2
    assert "--allow-missing" in capsys.readouterr().err
    assert main(["replay", str(tmp_path / "absent.launch")]) == 2
    assert "absent.launch: No such file" in capsys.readouterr().err
