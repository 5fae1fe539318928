"""Launch records as files; ``docs/reference/launch-record-format.md`` describes them.

Programs that run with ``KBUILD_CAPTURE`` write records, and so does `write_launch_record`.  The
contents in a record are views of the mapped file, so that only the parts in use are read.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kbuild.errors import InputError
from kbuild.files import write_parts
from kbuild.formats.buffer import Buffer
from kbuild.inspect.file_content import hash_content, open_content
from kbuild.runtime.launch_records.header import (
    BufferEntry,
    CodeEntry,
    Header,
    ImageEntry,
    Payload,
    decode_arguments,
    read_header,
    write_header,
)
from kbuild.runtime.launch_records.images import read_images
from kbuild.runtime.launch_records.model import (
    CapturedBuffer,
    CapturedCode,
    CapturedImage,
    CapturedPointer,
    CaptureNote,
    LaunchOrigin,
    LaunchOutcome,
    LaunchRecord,
    RecordedConfig,
)

__all__ = [
    "CaptureNote",
    "CapturedBuffer",
    "CapturedCode",
    "CapturedImage",
    "CapturedPointer",
    "LaunchOrigin",
    "LaunchOutcome",
    "LaunchRecord",
    "RecordedConfig",
    "read_images",
    "read_launch_record",
    "write_launch_record",
]

MAGIC: Final = b"KBLAUNCH"
VERSION: Final = 1
ALIGNMENT: Final = 64
SUFFIX: Final = ".launch"

_START: Final = struct.Struct("<8sIIQ")
_LARGEST_HEADER: Final = 64 << 20


def write_launch_record(path: str | os.PathLike[str], record: LaunchRecord) -> None:
    """Write the record to ``path``, completely or not at all.

    Raises:
        InputError: The record is inconsistent, so that it could not be read.
    """
    contents: list[Buffer] = []
    header = write_header(_describe(record, contents))
    read_header(header, "launch record")  # checks the header
    write_parts(Path(path), _lay_out(header, contents))


def _lay_out(header: bytes, contents: list[Buffer]) -> Iterator[bytes]:
    start = _START.pack(MAGIC, VERSION, 0, len(header)) + header
    for part in (start, *contents):
        yield bytes(part)
        yield bytes(-len(part) % ALIGNMENT)


def _describe(record: LaunchRecord, contents: list[Buffer]) -> Header:
    """Return the header, and append the contents that follow it to ``contents``."""
    end = 0

    def place(content: Buffer) -> Payload:
        nonlocal end
        offset, size = end, len(content)
        contents.append(content)
        end = _align(end + size)
        return Payload(offset=offset, size=size, sha256=hash_content(content))

    code = record.code
    return Header(
        backend=record.backend,
        kernel=record.kernel,
        code=CodeEntry(
            fat_binary=None if code.fat_binary is None else place(code.fat_binary),
            described=code.described,
            images=tuple(
                ImageEntry(arch=image.arch, kind=image.kind, content=place(image.content))
                for image in code.images
            ),
        ),
        config=record.config,
        arguments=record.arguments.hex(),
        pointers=record.pointers,
        buffers=tuple(
            BufferEntry(
                address=buffer.address,
                size=buffer.size,
                content=None if buffer.content is None else place(buffer.content),
            )
            for buffer in record.buffers
        ),
        notes=record.notes,
        origin=record.origin,
        outcome=record.outcome,
    )


def _align(offset: int) -> int:
    return offset + -offset % ALIGNMENT


def read_launch_record(path: str | os.PathLike[str]) -> LaunchRecord:
    """Read the record in a file.

    Raises:
        InputError: The file is not a launch record, or it is damaged; the message says where.
    """
    content = open_content(Path(path))
    where = str(path)
    if len(content) < _START.size or bytes(content[: len(MAGIC)]) != MAGIC:
        raise InputError(f"{where}: not a launch record")
    _, version, zero, size = _START.unpack(content[: _START.size])
    if version != VERSION or zero != 0:
        raise InputError(
            f"{where}: unsupported version {version} of a launch record; this kbuild reads version "
            f"{VERSION}"
        )
    if size > len(content) - _START.size:
        raise InputError(
            f"{where}: truncated: the header has {size} bytes, and the file {len(content)}"
        )
    if size > _LARGEST_HEADER:
        raise InputError(
            f"{where}: the header has {size} bytes; expected at most {_LARGEST_HEADER}"
        )
    header = read_header(bytes(content[_START.size : _START.size + size]), where)
    return _assemble(header, content[_align(_START.size + size) :], where)


def _assemble(header: Header, payload: Buffer, where: str) -> LaunchRecord:
    def take(place: Payload, what: str) -> Buffer:
        return _take(payload, place, f"{where}.{what}")

    code = header.code
    return LaunchRecord(
        backend=header.backend,
        kernel=header.kernel,
        config=header.config,
        arguments=decode_arguments(header, where),
        code=CapturedCode(
            fat_binary=None if code.fat_binary is None else take(code.fat_binary, "fat_binary"),
            described=code.described,
            images=tuple(
                CapturedImage(
                    arch=image.arch,
                    kind=image.kind,
                    content=take(image.content, f"images[{index}]"),
                )
                for index, image in enumerate(code.images)
            ),
        ),
        pointers=header.pointers,
        buffers=tuple(
            CapturedBuffer(
                address=buffer.address,
                size=buffer.size,
                content=None
                if buffer.content is None
                else take(buffer.content, f"buffers[{index}]"),
            )
            for index, buffer in enumerate(header.buffers)
        ),
        notes=header.notes,
        origin=header.origin,
        outcome=header.outcome,
    )


def _take(payload: Buffer, place: Payload, where: str) -> Buffer:
    if place.offset % ALIGNMENT:
        raise InputError(
            f"{where}: invalid offset {place.offset}; expected a multiple of {ALIGNMENT}"
        )
    if place.offset + place.size > len(payload):
        raise InputError(
            f"{where}: truncated: the content ends at byte {place.offset + place.size} of the "
            f"payload, which has {len(payload)} bytes"
        )
    content = payload[place.offset : place.offset + place.size]
    if place.sha256 is not None and hash_content(content) != place.sha256:
        raise InputError(
            f"{where}: damaged: the sha256 of the content differs from the one in the header"
        )
    return content
