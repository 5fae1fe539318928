"""The header of a launch record: its JSON, and what has to hold in it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from kbuild.errors import InputError
from kbuild.model import ContainerRecord, ImageKind, KernelRecord
from kbuild.records import dump, from_json
from kbuild.runtime.launch_records.model import (
    CapturedPointer,
    CaptureNote,
    LaunchOrigin,
    LaunchOutcome,
    RecordedConfig,
)

SCHEMA: Final = "kbuild.launch/1"
POINTER_SIZE: Final = 8

_DIMENSIONS: Final = 3
_UINT32: Final = 2**32
_UINT64: Final = 2**64
# Larger than what any kernel takes.
_MOST_ARGUMENT_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """Where content lies: ``offset`` counts from the start of the payload."""

    offset: int
    size: int
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
    """A buffer; ``content`` is null where it could not be captured."""

    address: int
    size: int
    content: Payload | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """A launch record without its payload; ``arguments`` in hexadecimal."""

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
    """The header as a line of JSON."""
    return dump(SCHEMA, header)


def read_header(content: bytes, where: str) -> Header:
    """What `write_header` or a program's capture wrote; InputError for what does not hold."""
    header = from_json(Header, _parse(content, where), where)
    arguments = decode_arguments(header, where)
    _check_config(header.config, f"{where}.config")
    _check_kernel(header.kernel, len(arguments), f"{where}.kernel")
    for index, buffer in enumerate(header.buffers):
        _check_buffer(buffer, f"{where}.buffers[{index}]")
    for index, pointer in enumerate(header.pointers):
        _check_pointer(pointer, header, len(arguments), f"{where}.pointers[{index}]")
    return header


def decode_arguments(header: Header, where: str) -> bytes:
    """The bytes of the arguments; InputError where they are none."""
    if len(header.arguments) > 2 * _MOST_ARGUMENT_BYTES:
        raise InputError(f"{where}.arguments: more than {_MOST_ARGUMENT_BYTES} bytes")
    try:
        return bytes.fromhex(header.arguments)
    except ValueError as error:
        raise InputError(f"{where}.arguments: not hexadecimal") from error


def _parse(content: bytes, where: str) -> Any:
    try:
        data = json.loads(content.decode())
        # Halves of characters, which JSON can escape, are no text.
        json.dumps(data, ensure_ascii=False).encode()
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: not JSON: {error}") from error
    schema = data.pop("schema", None) if isinstance(data, dict) else None
    if schema != SCHEMA:
        raise InputError(f"{where}: schema {schema!r}; this kbuild reads {SCHEMA!r}")
    return data


def _check(condition: bool, where: str, message: str) -> None:
    if not condition:
        raise InputError(f"{where}: {message}")


def _check_config(config: RecordedConfig, where: str) -> None:
    extents = {"grid": config.grid, "block": config.block, "cluster": config.cluster}
    for name, extent in extents.items():
        if extent is not None:
            has_three = len(extent) == _DIMENSIONS and all(0 <= n < _UINT32 for n in extent)
            _check(has_three, f"{where}.{name}", "not three numbers of 32 bits")
    _check(0 <= config.shared_bytes < _UINT64, f"{where}.shared_bytes", "not of 64 bits")
    _check(-(2**31) <= config.priority < 2**31, f"{where}.priority", "not of 32 bits")


def _check_kernel(kernel: KernelRecord, size: int, where: str) -> None:
    for index, param in enumerate(kernel.params):
        is_inside = min(param.offset, param.size) >= 0 and param.offset + param.size <= size
        _check(is_inside, f"{where}.params[{index}]", f"reaches beyond the {size} argument bytes")


def _check_buffer(buffer: BufferEntry, where: str) -> None:
    is_sound = 0 <= buffer.address < _UINT64 and 0 <= buffer.size < _UINT64
    _check(is_sound, where, "address or size is not of 64 bits")
    if buffer.content is not None:
        _check(
            buffer.content.size == buffer.size,
            f"{where}.content",
            f"{buffer.content.size} bytes, and the buffer has {buffer.size}",
        )


def _check_pointer(pointer: CapturedPointer, header: Header, size: int, where: str) -> None:
    is_inside = 0 <= pointer.offset <= size - POINTER_SIZE
    _check(is_inside, f"{where}.offset", f"beyond the {size} argument bytes")
    count = len(header.buffers)
    _check(0 <= pointer.buffer < count, f"{where}.buffer", f"there are {count} buffers")
    # One past the end is an address, too.
    is_in_buffer = 0 <= pointer.buffer_offset <= header.buffers[pointer.buffer].size
    _check(is_in_buffer, f"{where}.buffer_offset", "outside of the buffer")
