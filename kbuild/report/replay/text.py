"""`kbuild replay` for people: plain text, no colour."""

from __future__ import annotations

from collections.abc import Iterator

from kbuild.report.layout import show_line
from kbuild.runtime.launch_records.model import LaunchOutcome, LaunchRecord
from kbuild.runtime.launch_records.replay import Replay


def render(replay: Replay) -> str:
    """The launch, what was captured of it, how it ended then and how it ended now."""
    return render_record(replay.record) + render_outcome(replay)


def render_record(record: LaunchRecord) -> str:
    """The launch, what was captured of it, and how it ended then."""
    return "".join(f"{show_line(line)}\n" for line in describe_record(record))


def render_outcome(replay: Replay) -> str:
    """How it ended now."""
    return "".join(f"{show_line(line)}\n" for line in _outcome(replay))


def describe_record(record: LaunchRecord) -> Iterator[str]:
    """The launch as it was recorded."""
    config = record.config
    yield f"{record.kernel.display}, backend {record.backend}"
    shared = f", {config.shared_bytes} bytes of shared memory" if config.shared_bytes else ""
    yield f"  grid {_extent(config.grid)}, block {_extent(config.block)}{shared}"
    led = {pointer.offset: pointer for pointer in record.pointers}
    for param in record.kernel.params:
        value = record.arguments[param.offset : param.offset + param.size]
        name = " ".join(filter(None, (param.type, param.name))) or f"argument {param.index}"
        pointer = led.get(param.offset)
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
    yield f"  then: {'it was recorded, not launched' if is_python else _spell(record.outcome)}"


def _outcome(replay: Replay) -> Iterator[str]:
    time = f", {replay.seconds * 1e3:.3f} ms" if replay.seconds is not None else ""
    yield f"  now:  {_spell(replay.outcome)}{time}"
    for index, buffer in enumerate(replay.buffers):
        changed = buffer.changed_bytes
        what = "not known" if changed is None else f"{changed} changed"
        yield f"  buffer {index}: {buffer.size} bytes, {what}"


def _spell(outcome: LaunchOutcome | None) -> str:
    if outcome is None:
        return "it did not end, or not before the record"
    if outcome.code == 0:
        return "it went well"
    late = " while it ran" if outcome.is_late else ""
    return f"it failed{late}: {outcome.message}"


def _extent(extent: tuple[int, ...]) -> str:
    return "x".join(map(str, extent))
