"""The reports of `kbuild replay`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kbuild.files import sha256
from kbuild.report.document import render_document
from kbuild.report.layout import make_one_line
from kbuild.runtime.launch_records.model import LaunchOutcome, LaunchRecord
from kbuild.runtime.launch_records.replay import Replay

SCHEMA: Final = "kbuild.replay/1"


def render_json(replay: Replay) -> str:
    """Return the record without buffer contents, and the outcome, as versioned JSON."""
    record = replay.record
    body = {
        "backend": record.backend,
        "kernel": record.kernel,
        "config": record.config,
        "notes": record.notes,
        "origin": record.origin,
        "recorded_outcome": record.outcome,
        "outcome": replay.outcome,
        "seconds": replay.seconds,
        "buffers": tuple(
            {
                "size": buffer.size,
                "changed_bytes": buffer.changed_bytes,
                "sha256": None if buffer.after is None else sha256(buffer.after),
            }
            for buffer in replay.buffers
        ),
    }
    return render_document(SCHEMA, body, ok=replay.outcome.code == 0)


def render_text(replay: Replay) -> str:
    """Return the launch, its recorded outcome, and the outcome of the replay."""
    return render_record(replay.record) + render_outcome(replay)


def render_record(record: LaunchRecord) -> str:
    """Return the launch, its captured parts, and its recorded outcome."""
    return "".join(f"{make_one_line(line)}\n" for line in describe_record(record))


def render_outcome(replay: Replay) -> str:
    """Return the outcome of the replay."""
    return "".join(f"{make_one_line(line)}\n" for line in _describe_outcome(replay))


def describe_record(record: LaunchRecord) -> Iterator[str]:
    """Yield the lines that describe the launch as it was recorded."""
    config = record.config
    yield f"{record.kernel.display}, backend {record.backend}"
    shared = f", {config.shared_bytes} bytes of shared memory" if config.shared_bytes else ""
    yield f"  grid {_format_extent(config.grid)}, block {_format_extent(config.block)}{shared}"
    pointers = {pointer.offset: pointer for pointer in record.pointers}
    for param in record.kernel.params:
        value = record.arguments[param.offset : param.offset + param.size]
        name = " ".join(filter(None, (param.type, param.name))) or f"argument {param.index}"
        pointer = pointers.get(param.offset)
        if pointer is None:
            yield f"  {name} = 0x{int.from_bytes(value, 'little'):x}"
        else:
            where = f" + {pointer.buffer_offset}" if pointer.buffer_offset else ""
            yield f"  {name} = buffer {pointer.buffer}{where}"
    for note in record.notes:
        yield f"  note: {note.message}"
    origin = record.origin
    if origin.file:
        yield f"  launched at {origin.file}:{origin.line}"
    elif origin.function:
        yield f"  launched in {origin.function}"
    if origin.device:
        yield f"  recorded on {origin.device}"
    is_python = record.outcome is None and record.origin.pid is None
    recorded = "recorded, not launched" if is_python else _describe_end(record.outcome)
    yield f"  then: {recorded}"


def _describe_outcome(replay: Replay) -> Iterator[str]:
    time = f", {replay.seconds * 1e3:.3f} ms" if replay.seconds is not None else ""
    yield f"  now:  {_describe_end(replay.outcome)}{time}"
    for index, buffer in enumerate(replay.buffers):
        changed = buffer.changed_bytes
        what = "changes unknown" if changed is None else f"{changed} changed"
        yield f"  buffer {index}: {buffer.size} bytes, {what}"


def _describe_end(outcome: LaunchOutcome | None) -> str:
    if outcome is None:
        return "did not end before the record was written"
    if outcome.code == 0:
        return "succeeded"
    late = " while it ran" if outcome.is_late else ""
    return f"failed{late}: {outcome.message}"


def _format_extent(extent: tuple[int, ...]) -> str:
    return "x".join(map(str, extent))
