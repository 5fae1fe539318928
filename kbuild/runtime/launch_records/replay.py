"""Replay recorded launches: the same code, configuration, and arguments on this device."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Final

from kbuild.backends import open_device
from kbuild.backends.interface.devices import ExecutionDevice
from kbuild.backends.interface.queue import LaunchCall, Queue
from kbuild.errors import ConfigurationError, InputError, LaunchError
from kbuild.facts.parameter_types import POINTER_SIZE
from kbuild.files import sha256
from kbuild.formats.buffer import Buffer
from kbuild.runtime.arguments.encoder import Frame
from kbuild.runtime.arguments.launchers import submit
from kbuild.runtime.compiling.model import CompiledImage
from kbuild.runtime.launch_records.images import read_images
from kbuild.runtime.launch_records.model import LaunchOutcome, LaunchRecord

# The number of bytes of a buffer that are compared at once.
_PART: Final = 1 << 16
# Notes of these kinds are about memory that the kernel might use and the record lacks.
_MISSING: Final = ("unknown-extent", "host-memory", "over-limit", "not-copied", "no-buffers")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedBuffer:
    """One buffer of the record, with its content before and after the launch.

    ``before`` is None if the content was not captured, ``after`` if the launch failed.
    """

    size: int
    before: Buffer | None
    after: bytes | None

    @property
    def changed_bytes(self) -> int | None:
        """The number of bytes that the launch changed, or None if it is unknown."""
        if self.before is None or self.after is None:
            return None
        before, after = memoryview(self.before), memoryview(self.after)
        parts = (slice(start, start + _PART) for start in range(0, len(after), _PART))
        return sum(_count_different(bytes(before[part]), bytes(after[part])) for part in parts)


def _count_different(before: bytes, after: bytes) -> int:
    """Return how many bytes differ in two byte strings of the same length."""
    # A loop over the bytes would be slow: buffers can have gigabytes.
    if before == after:
        return 0
    different = int.from_bytes(before, "little") ^ int.from_bytes(after, "little")
    return len(after) - different.to_bytes(len(after), "little").count(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """The result of a replayed launch.

    Attributes:
        outcome: The code 0, or the code 1 with the error message of this machine.
        seconds: The time on the device, or None if the launch failed.
    """

    record: LaunchRecord
    outcome: LaunchOutcome
    seconds: float | None
    buffers: tuple[ReplayedBuffer, ...]


def find_missing(record: LaunchRecord) -> tuple[str, ...]:
    """Return the messages of the notes about memory that the record does not have."""
    return tuple(note.message for note in record.notes if note.kind in _MISSING)


def replay_launch(record: LaunchRecord, *, allow_missing: bool = False) -> Replay:
    """Launch the kernel with everything that was captured.

    Args:
        record: The recorded launch.
        allow_missing: Pass null pointers for memory that was not captured, and fill buffers
            without content with zeros.

    Raises:
        ConfigurationError: The record lacks memory that the kernel might use, and
            ``allow_missing`` is false.
        InputError: The code is damaged.
        LaunchError: There is no device, or too little memory for the buffers.
    """
    missing = find_missing(record)
    if missing and not allow_missing:
        raise ConfigurationError(
            f"the record lacks memory that the kernel might use: {'; '.join(missing)}; "
            "to pass null pointers and zeros instead, use --allow-missing (in Python, "
            "allow_missing=True)"
        )
    try:
        config = record.config.to_launch_config()
    except ConfigurationError as error:  # the recorded launch failed, too
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


def _launch(queue: Queue, call: LaunchCall, frame: Frame) -> float:
    stop = queue.start_timer()
    submit(call, frame, ())
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
        raise InputError(f"the record has no code for {record.kernel.display}")
    return device.load(images, record.kernel)


def _fill(queue: Queue, address: int, content: Buffer | None, size: int) -> None:
    if size == 0:
        return
    host = (ctypes.c_char * size).from_buffer_copy(content if content is not None else bytes(size))
    queue.copy_in(address, ctypes.addressof(host), size)
    queue.synchronize()  # the copy can read `host` until then


def _read(queue: Queue, address: int, size: int) -> bytes:
    host = (ctypes.c_char * max(size, 1))()
    if size:
        queue.copy_out(ctypes.addressof(host), address, size)
    return host.raw[:size]


def _write_arguments(record: LaunchRecord, addresses: list[int]) -> Frame:
    """Return the captured arguments, with pointers into the buffers of this launch."""
    content = bytearray(record.arguments)
    restored = {pointer.offset for pointer in record.pointers}
    lost = {n.param for n in record.notes if n.kind in _MISSING and n.param is not None}
    for param in record.kernel.params:
        if param.index in lost and param.offset not in restored:
            content[param.offset : param.offset + param.size] = bytes(param.size)
    for pointer in record.pointers:
        address = addresses[pointer.buffer] + pointer.buffer_offset
        content[pointer.offset : pointer.offset + POINTER_SIZE] = address.to_bytes(
            POINTER_SIZE, "little"
        )
    frame = Frame(record.kernel.params)
    frame.write(bytes(content))
    return frame
