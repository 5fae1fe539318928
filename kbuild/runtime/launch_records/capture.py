"""Launches from Python as launch records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from kbuild import __version__
from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.model import Param
from kbuild.runtime.arguments.encode import Argument, ArrayArgument, encode_arguments, identify
from kbuild.runtime.arguments.meanings import Pointer, read_meaning
from kbuild.runtime.compiling.kernel import CompiledKernel
from kbuild.runtime.launch_records.model import (
    CapturedBuffer,
    CapturedCode,
    CapturedImage,
    CapturedPointer,
    CaptureNote,
    LaunchOrigin,
    LaunchRecord,
    RecordedConfig,
)


class ReadableArray(Protocol):
    """An array on the device; ``read`` gives its bytes."""

    @property
    def address(self) -> int: ...  # noqa: D102 - the class says it
    @property
    def dtype(self) -> Any: ...  # noqa: D102
    @property
    def is_contiguous(self) -> bool: ...  # noqa: D102
    def read(self) -> bytes: ...  # noqa: D102


def _view_nothing(_: object) -> None:
    return None


def capture_launch(
    compiled: CompiledKernel,
    config: LaunchConfig,
    args: Sequence[object],
    *,
    view: Callable[[object], ReadableArray | None] = _view_nothing,
) -> LaunchRecord:
    """The launch of ``compiled`` with ``args``, which are checked, as a record; nothing is run.

    ``view`` reads arrays of other libraries.  ConfigurationError for arguments that do not fit.
    """
    captured = _Captured(compiled.params)

    def remember(value: object) -> ReadableArray | None:
        found = view(value)
        if found is not None:
            captured.seen[found.address] = found
        return found

    for param, argument in zip(
        compiled.params, encode_arguments(compiled.record, args, view=remember), strict=True
    ):
        captured.add(param, argument)
    images = compiled.select(config.threads, config.max_registers).images
    return LaunchRecord(
        backend=compiled.backend,
        kernel=compiled.record,
        config=_record_config(config),
        arguments=bytes(captured.content),
        code=CapturedCode(
            images=tuple(
                CapturedImage(arch=image.arch, kind=image.kind, content=image.data)
                for image in images
            )
        ),
        pointers=tuple(captured.pointers),
        buffers=tuple(captured.buffers.values()),
        notes=tuple(captured.notes),
        origin=LaunchOrigin(version=__version__),
    )


class _Captured:
    """Arguments on their way into a record; ``seen`` are the device's arrays by address."""

    def __init__(self, params: tuple[Param, ...]) -> None:
        self.content = bytearray(max((p.offset + p.size for p in params), default=0))
        self.pointers: list[CapturedPointer] = []
        self.notes: list[CaptureNote] = []
        self.buffers: dict[tuple[object, ...], CapturedBuffer] = {}
        self.seen: dict[int, ReadableArray] = {}

    def add(self, param: Param, argument: Argument) -> None:
        """Take one argument, with the memory that it leads to."""
        if isinstance(argument, ArrayArgument):
            self._add_buffer(param, identify(argument.array), argument.array.tobytes)
            return
        self.content[param.offset : param.offset + param.size] = argument
        address = int.from_bytes(argument, "little")
        if not isinstance(read_meaning(param), Pointer) or address == 0:
            return
        if address in self.seen:
            self._add_buffer(param, (address,), self.seen[address].read)
            return
        name = param.name or f"argument {param.index}"
        self.notes.append(
            CaptureNote(
                kind="unknown-extent",
                message=f"{name} is an address, and nothing says how much lies there",
                param=param.index,
            )
        )

    def _add_buffer(self, param: Param, key: tuple[object, ...], read: Callable[[], bytes]) -> None:
        if key not in self.buffers:
            data = read()
            self.buffers[key] = CapturedBuffer(address=0, size=len(data), content=data)
        index = list(self.buffers).index(key)
        self.pointers.append(CapturedPointer(offset=param.offset, buffer=index))


def _record_config(config: LaunchConfig) -> RecordedConfig:
    return RecordedConfig(
        grid=read_extent("grid", config.grid),
        block=read_extent("block", config.block),
        shared_bytes=config.shared_bytes,
        cluster=read_extent("cluster", config.cluster) if config.cluster is not None else None,
        cooperative=config.cooperative,
        programmatic_dependent_launch=config.programmatic_dependent_launch,
        priority=config.priority,
    )
