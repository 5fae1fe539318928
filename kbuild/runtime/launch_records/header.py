"""The header of a launch record: its JSON, and the rules for values that depend on each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from kbuild.errors import InputError
from kbuild.facts.parameter_types import POINTER_SIZE
from kbuild.model import ContainerRecord, ImageKind, KernelRecord
from kbuild.records import dump, load
from kbuild.runtime.launch_records.model import (
    CapturedPointer,
    CaptureNote,
    LaunchOrigin,
    LaunchOutcome,
    RecordedConfig,
    Unsigned64,
)

SCHEMA: Final = "kbuild.launch/1"

# Larger than the arguments of any kernel.
_MOST_ARGUMENT_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """The place of some content; ``offset`` counts from the start of the payload."""

    offset: Unsigned64
    size: Unsigned64
    sha256: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageEntry:
    """A device image."""

    arch: str
    kind: ImageKind
    content: Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeEntry:
    """The kernel's code."""

    fat_binary: Payload | None = None
    described: ContainerRecord | None = None
    images: tuple[ImageEntry, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferEntry:
    """A buffer; ``content`` is null if it could not be captured."""

    address: Unsigned64
    size: Unsigned64
    content: Payload | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A launch record without its payload; ``arguments`` is hexadecimal."""

    backend: str
    kernel: KernelRecord
    code: CodeEntry
    config: RecordedConfig
    arguments: str
    pointers: tuple[CapturedPointer, ...]
    buffers: tuple[BufferEntry, ...]
    notes: tuple[CaptureNote, ...]
    origin: LaunchOrigin
    outcome: LaunchOutcome | None


def write_header(header: Header) -> bytes:
    """Return the header as one line of JSON."""
    return dump(SCHEMA, header)


def read_header(content: bytes, where: str) -> Header:
    """Read a header that `write_header` or the capture of a program wrote.

    Args:
        content: The JSON, which can have spaces at its end.
        where: The name of the record in messages.

    Raises:
        InputError: The header is malformed or inconsistent.
    """
    header = load(SCHEMA, Header, content, where)
    size = len(decode_arguments(header, where))
    _check_kernel(header.kernel, size, f"{where}.kernel")
    for index, buffer in enumerate(header.buffers):
        _check_buffer(buffer, f"{where}.buffers[{index}]")
    for index, pointer in enumerate(header.pointers):
        _check_pointer(pointer, header, size, f"{where}.pointers[{index}]")
    return header


def decode_arguments(header: Header, where: str) -> bytes:
    """Return the bytes of the arguments.

    Raises:
        InputError: The arguments are too long or not hexadecimal.
    """
    if len(header.arguments) > 2 * _MOST_ARGUMENT_BYTES:
        raise InputError(f"{where}.arguments: expected at most {_MOST_ARGUMENT_BYTES} bytes")
    try:
        return bytes.fromhex(header.arguments)
    except ValueError as error:
        raise InputError(f"{where}.arguments: expected hexadecimal digits: {error}") from error


def _check(condition: bool, where: str, message: str) -> None:
    if not condition:
        raise InputError(f"{where}: {message}")


def _check_kernel(kernel: KernelRecord, size: int, where: str) -> None:
    for index, param in enumerate(kernel.params):
        is_inside = min(param.offset, param.size) >= 0 and param.offset + param.size <= size
        _check(is_inside, f"{where}.params[{index}]", f"extends past the {size} argument bytes")


def _check_buffer(buffer: BufferEntry, where: str) -> None:
    if buffer.content is not None:
        _check(
            buffer.content.size == buffer.size,
            f"{where}.content",
            f"has {buffer.content.size} bytes, but the buffer has {buffer.size}",
        )


def _check_pointer(pointer: CapturedPointer, header: Header, size: int, where: str) -> None:
    is_inside = 0 <= pointer.offset <= size - POINTER_SIZE
    _check(is_inside, f"{where}.offset", f"extends past the {size} argument bytes")
    count = len(header.buffers)
    has_buffer = 0 <= pointer.buffer < count
    _check(has_buffer, f"{where}.buffer", f"no buffer {pointer.buffer}; the record has {count}")
    # A pointer to the end of a buffer is valid, too.
    is_in_buffer = 0 <= pointer.buffer_offset <= header.buffers[pointer.buffer].size
    _check(is_in_buffer, f"{where}.buffer_offset", "is outside the buffer")
