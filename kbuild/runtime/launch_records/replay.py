"""Launches a record again: its code, configuration and arguments, on this machine's device."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kbuild.backends import open_device
from kbuild.backends.interface.devices import ExecutionDevice, Queue
from kbuild.errors import ConfigurationError, InputError, LaunchError
from kbuild.files import sha256
from kbuild.formats.buffer import Buffer
from kbuild.runtime.arguments.frames import Frame
from kbuild.runtime.compiling.kernel import CompiledImage
from kbuild.runtime.launch_records.images import read_images
from kbuild.runtime.launch_records.model import LaunchOutcome, LaunchRecord

_POINTER: Final = 8
# How much of a buffer is compared at once.
_PART: Final = 1 << 16
# Notes of these kinds are about a parameter that the kernel cannot use as it was.
_MISSING: Final = ("unknown-extent", "host-memory", "over-limit", "not-copied", "no-buffers")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedBuffer:
    """One buffer of the record, before and after: its content, None where it was not captured."""

    size: int
    before: Buffer | None
    after: bytes | None

    @property
    def changed_bytes(self) -> int | None:
        """How many bytes the launch changed; None where that is not known."""
        if self.before is None or self.after is None:
            return None
        before, after = memoryview(self.before), memoryview(self.after)
        parts = (slice(start, start + _PART) for start in range(0, len(after), _PART))
        return sum(_count_different(bytes(before[part]), bytes(after[part])) for part in parts)


def _count_different(before: bytes, after: bytes) -> int:
    """How many bytes differ, of two texts of one length; buffers may have gigabytes."""
    if before == after:
        return 0
    different = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    return len(after) - different.to_bytes(len(after), "little").count(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """How a launch ended when it was made again.

    ``outcome`` has the code 0 for one that went well, else 1 and this machine's message;
    ``seconds`` is the time on the device, None where it failed.
    """

    record: LaunchRecord
    outcome: LaunchOutcome
    seconds: float | None
    buffers: tuple[ReplayedBuffer, ...]


def find_missing(record: LaunchRecord) -> tuple[str, ...]:
    """What the kernel may need and the record does not have, in the words of its notes."""
    return tuple(note.message for note in record.notes if note.kind in _MISSING)


def replay_launch(record: LaunchRecord, *, allow_missing: bool = False) -> Replay:
    """Launch the kernel with what was captured; buffers without content are zeros.

    Raises ConfigurationError for a record that lacks memory that the kernel may use
    (``allow_missing`` passes null pointers instead), InputError for damaged code, LaunchError
    where there is no device or no memory for buffers.
    """
    missing = find_missing(record)
    if missing and not allow_missing:
        raise ConfigurationError(
            f"the record lacks memory that the kernel may use: {'; '.join(missing)}; "
            "--allow-missing passes null pointers and zeros instead"
        )
    try:
        config = record.config.to_launch_config()
    except ConfigurationError as error:  # as the runtime said then
        return _describe_failure(record, str(error))
    device = open_device(record.backend)
    queue = device.open_queue(None)
    addresses: list[int] = []
    try:
        for buffer in record.buffers:
            addresses.append(queue.allocate(buffer.size))
            _fill(queue, addresses[-1], buffer.content, buffer.size)
        frame = _write_arguments(record, addresses)
        try:
            seconds = _launch(queue, queue.bind(_load(device, record), config), frame)
        except LaunchError as error:
            return _describe_failure(record, str(error))
        return Replay(
            record=record,
            outcome=LaunchOutcome(code=0),
            seconds=seconds,
            buffers=tuple(
                ReplayedBuffer(size=b.size, before=b.content, after=_read(queue, address, b.size))
                for b, address in zip(record.buffers, addresses, strict=True)
            ),
        )
    finally:
        for address in addresses:
            queue.release(address)


def _launch(queue: Queue, submit: Callable[[Frame], None], frame: Frame) -> float:
    stop = queue.start_timer()
    submit(frame)
    seconds = stop()
    queue.synchronize()
    return seconds


def _describe_failure(record: LaunchRecord, message: str) -> Replay:
    return Replay(
        record=record,
        outcome=LaunchOutcome(code=1, message=message),
        seconds=None,
        buffers=tuple(
            ReplayedBuffer(size=b.size, before=b.content, after=None) for b in record.buffers
        ),
    )


def _load(device: ExecutionDevice, record: LaunchRecord) -> object:
    images = [
        CompiledImage(
            arch=image.arch,
            kind=image.kind,
            file_name="",
            sha256=sha256(bytes(image.content)),
            data=bytes(image.content),
        )
        for image in read_images(record)
    ]
    if not images:
        raise InputError(f"the record holds no code of {record.kernel.display}")
    return device.load(images, record.kernel)


def _fill(queue: Queue, address: int, content: Buffer | None, size: int) -> None:
    if size == 0:
        return
    host = (ctypes.c_char * size).from_buffer_copy(content if content is not None else bytes(size))
    queue.copy_in(address, ctypes.addressof(host), size)
    queue.synchronize()  # until then the copy may read it


def _read(queue: Queue, address: int, size: int) -> bytes:
    host = (ctypes.c_char * max(size, 1))()
    if size:
        queue.copy_out(ctypes.addressof(host), address, size)
    return host.raw[:size]


def _write_arguments(record: LaunchRecord, addresses: list[int]) -> Frame:
    """The captured bytes, pointers leading to this launch's buffers."""
    content = bytearray(record.arguments)
    for pointer in record.pointers:
        address = addresses[pointer.buffer] + pointer.buffer_offset
        content[pointer.offset : pointer.offset + _POINTER] = address.to_bytes(_POINTER, "little")
    lost = {n.param for n in record.notes if n.kind in _MISSING and n.param is not None}
    led = {pointer.offset for pointer in record.pointers}
    frame = Frame(record.kernel.params)
    for index, param in enumerate(record.kernel.params):
        value = bytes(content[param.offset : param.offset + param.size])
        if param.index in lost and param.offset not in led:
            value = bytes(param.size)
        frame.write(index, value)
    return frame
