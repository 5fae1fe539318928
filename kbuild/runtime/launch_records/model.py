"""The values of a launch record: one launch, with everything that a replay needs.

Sizes and offsets are in bytes.  ``None`` means that a value is unknown or could not be captured.
In the second case, a note says why.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from kbuild.backends.interface.launch_config import LaunchConfig
from kbuild.formats.buffer import Buffer
from kbuild.model import ContainerRecord, ImageKind, KernelRecord
from kbuild.records import Accept

Unsigned32: TypeAlias = Annotated[
    int, Accept(expected="an unsigned integer of 32 bits", minimum=0, maximum=2**32 - 1)
]
Unsigned64: TypeAlias = Annotated[
    int, Accept(expected="an unsigned integer of 64 bits", minimum=0, maximum=2**64 - 1)
]
Signed32: TypeAlias = Annotated[
    int, Accept(expected="an integer of 32 bits", minimum=-(2**31), maximum=2**31 - 1)
]
RecordedExtent: TypeAlias = tuple[Unsigned32, Unsigned32, Unsigned32]
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
    """The configuration of a launch as the program passed it, even if no device supports it.

    ``grid``, ``block``, and ``cluster`` are three numbers each, and zeros are possible.
    ``cluster`` is None if the launch had no cluster.
    """

    grid: RecordedExtent
    block: RecordedExtent
    shared_bytes: Unsigned64 = 0
    cluster: RecordedExtent | None = None
    cooperative: bool = False
    programmatic_dependent_launch: bool = False
    priority: Signed32 = 0

    def to_launch_config(self) -> LaunchConfig:
        """Return the configuration for a new launch on the default stream.

        Raises:
            ConfigurationError: No device supports the configuration.
        """
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
    """A pointer in the arguments.

    Attributes:
        offset: The offset of its eight bytes in the arguments.
        buffer: The index of the buffer that it points into.
        buffer_offset: The offset in that buffer.
    """

    offset: int
    buffer: int
    buffer_offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedBuffer:
    """One allocation.

    Attributes:
        address: Its address on the device at the time of the launch.
        size: Its size.
        content: Its content right before the launch, or None if it was not captured.
    """

    address: int
    size: int
    content: Buffer | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedImage:
    """Device code of the kernel for one architecture, outside a fat binary."""

    arch: str
    kind: ImageKind
    content: Buffer


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedCode:
    """The kernel's code: the fat binary of its source, or images, or both.

    ``described`` is the row for the fat binary in the kernel table.
    """

    fat_binary: Buffer | None = None
    described: ContainerRecord | None = None
    images: tuple[CapturedImage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CaptureNote:
    """A note about something that could not be captured, or that was captured by a guess.

    Attributes:
        kind: The kind of problem.
        message: A description for people, with the name of the parameter.
        param: The index of the parameter, or None if the note is not about one.
    """

    kind: NoteKind
    message: str
    param: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchOrigin:
    """The program and the call that launched the kernel.

    Attributes:
        target: The CMake target of the kernel.
        version: The version of kbuild that built the target.
        file: The file of the call, if it is known.
        line: The line of the call.
        function: The function of the call, if its file is not known.
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
    """The result of a launch.

    Attributes:
        code: The runtime's error code; 0 means success.
        message: The runtime's error message.
        is_late: Whether the launch call succeeded and waiting for the kernel reported the error.
    """

    code: int
    message: str = ""
    is_late: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchRecord:
    """One launch of a kernel.

    Attributes:
        arguments: The bytes that the kernel received, with each parameter at its offset.
            Pointers have their original values.
        pointers: The pointers in ``arguments``, and where in ``buffers`` they point.
        outcome: The result, or None if the launch had not finished, for example because it
            crashed the program.
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
