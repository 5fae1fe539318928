"""Capture launches from Python as launch records."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from kbuild import __version__
from kbuild.backends.interface.launch_config import LaunchConfig, read_extent
from kbuild.facts.parameter_types import PointerType, read_parameter_type
from kbuild.model import Param
from kbuild.runtime.arguments.arrays import identify
from kbuild.runtime.arguments.converters import (
    Argument,
    ArrayArgument,
    DeviceAddress,
    Packable,
    ViewArray,
)
from kbuild.runtime.arguments.encoder import ArgumentEncoder
from kbuild.runtime.compiling.kernel_facts import KernelFacts
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


def capture_launch(
    compiled: KernelFacts, config: LaunchConfig, args: Sequence[object], *, view: ViewArray
) -> LaunchRecord:
    """Return a record of the launch of ``compiled`` with ``args``, without running anything.

    Args:
        compiled: The kernel.
        config: The launch configuration.
        args: The arguments.
        view: Returns a view of another library's array, or None for any other value.

    Raises:
        ConfigurationError: The arguments do not fit the parameters.
    """
    encoder = ArgumentEncoder(compiled.record, view=view)
    captured = _CapturedMemory(encoder.convert(args), compiled.params)
    images = compiled.select(config.threads, config.max_registers).images
    return LaunchRecord(
        backend=compiled.backend,
        kernel=compiled.record,
        config=_record_config(config),
        arguments=encoder.pack(captured.arguments),
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


class _CapturedMemory:
    """The memory to which the arguments of a launch point.

    Attributes:
        arguments: The arguments, with zeros in place of arrays.
    """

    def __init__(self, arguments: Sequence[Argument], params: tuple[Param, ...]) -> None:
        self.arguments: list[Packable] = []
        self.pointers: list[CapturedPointer] = []
        self.notes: list[CaptureNote] = []
        self.buffers: dict[tuple[object, ...], CapturedBuffer] = {}
        # A number can be the address of an array that is another argument.
        self._views = {a: a.view for a in arguments if isinstance(a, DeviceAddress)}
        for param, argument in zip(params, arguments, strict=True):
            self._add(param, argument)

    def _add(self, param: Param, argument: Argument) -> None:
        """Add one argument, with the memory that it points to."""
        if isinstance(argument, ArrayArgument):
            self.arguments.append(0)
            self._add_buffer(param, identify(argument.array), argument.array.tobytes)
            return
        self.arguments.append(argument)
        if not isinstance(read_parameter_type(param), PointerType) or argument == 0:
            return
        if argument in self._views:
            self._add_buffer(param, (int(argument),), self._views[argument].read)
            return
        name = param.name or f"argument {param.index}"
        self.notes.append(
            CaptureNote(
                kind="unknown-extent",
                message=f"{name} is an address, and the size of the memory there is unknown",
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
