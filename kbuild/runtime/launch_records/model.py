"""The values of a launch record: one launch, with all that it takes to make it again.

Sizes and offsets are in bytes.  ``None`` means *unknown*, or that it could not be captured;
then a note says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.formats.buffer import Buffer
from kbuild.model import ContainerRecord, ImageKind, KernelRecord

NoteKind: TypeAlias = Literal[
    "unknown-extent",
    "host-memory",
    "managed-memory",
    "opaque",
    "taken-for-pointer",
    "over-limit",
    "not-copied",
    "no-buffers",
    "device-variables",
    "stream",
    "other",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedConfig:
    """The configuration of a launch as it was made, which no device may have taken.

    ``grid`` and ``block`` are three numbers each, zeros among them where the program passed
    zeros; ``cluster`` is None where there was none.
    """

    grid: tuple[int, ...]
    block: tuple[int, ...]
    shared_bytes: int = 0
    cluster: tuple[int, ...] | None = None
    cooperative: bool = False
    programmatic_dependent_launch: bool = False
    priority: int = 0

    def to_launch_config(self) -> LaunchConfig:
        """The same for launching, on the default stream; ConfigurationError where none can be."""
        return LaunchConfig(
            grid=self.grid,
            block=self.block,
            shared_bytes=self.shared_bytes,
            cluster=self.cluster,
            cooperative=self.cooperative,
            programmatic_dependent_launch=self.programmatic_dependent_launch,
            priority=self.priority,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedPointer:
    """Eight bytes of the arguments, at ``offset``, that lead ``buffer_offset`` into a buffer.

    ``buffer`` is the buffer's index in the record.
    """

    offset: int
    buffer: int
    buffer_offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedBuffer:
    """One allocation: its address on the device then, and its content right before the launch."""

    address: int
    size: int
    content: Buffer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedImage:
    """Device code of the kernel for one architecture, where a record has no fat binary."""

    arch: str
    kind: ImageKind
    content: Buffer


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedCode:
    """The kernel's code: the fat binary of its source, or images, or both.

    ``described`` is what the kernel table says of the fat binary.
    """

    fat_binary: Buffer | None = None
    described: ContainerRecord | None = None
    images: tuple[CapturedImage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureNote:
    """What could not be captured, or was captured by a guess; ``param`` is a parameter's index.

    ``message`` says it to people, by the parameter's name.
    """

    kind: NoteKind
    message: str
    param: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOrigin:
    """Who launched: ``file`` and ``line`` of the call, or the function that it was made in.

    ``version`` is that of the kbuild that built the kernel's ``target``.
    """

    program: str | None = None
    pid: int | None = None
    target: str | None = None
    version: str | None = None
    file: str | None = None
    line: int | None = None
    function: str | None = None
    device: str | None = None
    driver: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOutcome:
    """How the launch ended: the runtime's error code, 0 if it went well, and its message.

    ``is_late``: the launch itself went well, and waiting for its end told the error.
    """

    code: int
    message: str = ""
    is_late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRecord:
    """One launch of a kernel.

    ``arguments`` are the bytes that the kernel gets, each parameter at its offset, pointers as
    they were; ``pointers`` says which of them lead where in ``buffers``.  ``outcome`` is None
    for a launch that had not ended, as one that ended the program.
    """

    backend: str
    kernel: KernelRecord
    config: RecordedConfig
    arguments: bytes
    code: CapturedCode = CapturedCode()
    pointers: tuple[CapturedPointer, ...] = ()
    buffers: tuple[CapturedBuffer, ...] = ()
    notes: tuple[CaptureNote, ...] = ()
    origin: LaunchOrigin = LaunchOrigin()
    outcome: LaunchOutcome | None = None
