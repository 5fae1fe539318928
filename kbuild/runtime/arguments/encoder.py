"""Arguments of launches in memory, with the layout of the kernel's parameters."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from kbuild.backends.interface.queue import ArrayInterface
from kbuild.errors import ConfigurationError
from kbuild.model import KernelRecord, Param
from kbuild.runtime.arguments.arrays import require_disjoint_outputs
from kbuild.runtime.arguments.converters import (
    Argument,
    Converter,
    Packable,
    ParameterConverters,
    UnsuitableValueError,
    ViewArray,
    keep,
)
from kbuild.runtime.arguments.values import describe_value, is_numpy

# No parameter type needs a larger alignment; offsets preserve the alignment of each parameter.
_ALIGNMENT: Final = 256


class Frame:
    """Memory for the arguments of one launch.

    Attributes:
        pointers: The addresses of the arguments, as a ctypes array of ``void *``.
        address: The address of that array.
    """

    def __init__(self, params: tuple[Param, ...]) -> None:
        self.size = max((param.offset + param.size for param in params), default=0)
        self.memory = ctypes.create_string_buffer(self.size + _ALIGNMENT)
        self.start = -ctypes.addressof(self.memory) % _ALIGNMENT
        base = ctypes.addressof(self.memory) + self.start
        addresses = (base + param.offset for param in params)
        self.pointers = (ctypes.c_void_p * max(len(params), 1))(*addresses)
        self.address = ctypes.addressof(self.pointers)

    def write(self, content: bytes) -> None:
        """Write all arguments; bytes beyond the last parameter are ignored."""
        start = ctypes.addressof(self.memory) + self.start
        ctypes.memmove(start, content, min(len(content), self.size))


class ArgumentEncoder:
    """Turns Python values into the arguments of one kernel.

    Args:
        kernel: The kernel and its parameters.
        view: Returns a view of another library's array, or None for any other value.
        interface: How arrays on the device state their address, or None if none of them do.
    """

    def __init__(
        self,
        kernel: KernelRecord,
        *,
        view: ViewArray = lambda _: None,
        interface: ArrayInterface | None = None,
    ) -> None:
        self._kernel = kernel
        self._parameters = tuple(
            ParameterConverters(param, view, interface) for param in kernel.params
        )
        self._packer = self._make_packer()
        # Frames that no launch uses at the moment.
        self._frames: list[Frame] = []
        # By the types of the values.  None: some value is an array, which has to be copied;
        # empty: no value needs a conversion.
        self._converters: dict[tuple[type, ...], tuple[Converter, ...] | None] = {}

    @property
    def rows(self) -> list[tuple[object, ...]]:
        """The parameters, as the compiled launcher describes them."""
        return [parameter.row for parameter in self._parameters]

    def launch(self, values: Sequence[Any], submit: Callable[[Frame, Sequence[Any]], None]) -> bool:
        """Call ``submit`` with the arguments and with the objects that keep their memory alive.

        This does nothing if it needs more than packing the values.

        Returns:
            False if a value is an array that has to be copied to the device, or cannot be
            passed at all.  Then `convert` returns the arguments or explains what is wrong.
        """
        kinds = tuple(map(type, values))
        try:
            converters = self._converters[kinds]
        except KeyError:
            converters = self._converters[kinds] = self._find_converters(kinds)
        if converters is None:
            return False
        try:
            if converters:
                values = [convert(value) for convert, value in zip(converters, values, strict=True)]
            try:
                frame = self._frames.pop()
            except IndexError:
                frame = Frame(self._kernel.params)
            self._packer.pack_into(frame.memory, frame.start, *values)
        except (struct.error, OverflowError, UnsuitableValueError):
            return False
        submit(frame, values)
        self._frames.append(frame)
        return True

    def convert(self, values: Sequence[object]) -> tuple[Argument, ...]:
        """Return the arguments for ``values``.

        Raises:
            ConfigurationError: A value does not fit; the message names the kernel and the
                parameter, what it takes, and what it got.
        """
        self._require_count(values)
        arguments = tuple(map(self._convert, self._parameters, values))
        require_disjoint_outputs(self._kernel, arguments)
        return arguments

    def pack(self, arguments: Iterable[Packable]) -> bytes:
        """Return the bytes of all arguments, each at the offset of its parameter."""
        return self._packer.pack(*arguments)

    def make_frame(self, arguments: Iterable[Packable]) -> Frame:
        """Return a new frame with ``arguments``."""
        frame = Frame(self._kernel.params)
        frame.write(self.pack(arguments))
        return frame

    def _convert(self, parameter: ParameterConverters, value: object) -> Argument:
        try:
            return parameter.convert(value)
        except UnsuitableValueError as expected:
            fix = f", {expected.fix}" if expected.fix else ""
            raise ConfigurationError(
                f"{self._kernel.display}: {_describe_parameter(parameter.param)} takes {expected}, "
                f"not {describe_value(value)}{fix}"
            ) from None

    def _require_count(self, values: Sequence[object]) -> None:
        count = len(self._parameters)
        if len(values) != count:
            plural = "" if count == 1 else "s"
            raise ConfigurationError(
                f"{self._kernel.display} takes {count} argument{plural}, not {len(values)}"
            )

    def _find_converters(self, kinds: tuple[type, ...]) -> tuple[Converter, ...] | None:
        if len(kinds) != len(self._parameters) or any(is_numpy(kind, "ndarray") for kind in kinds):
            return None
        found = tuple(
            parameter.find(kind) for parameter, kind in zip(self._parameters, kinds, strict=True)
        )
        return found if any(converter is not keep for converter in found) else ()

    def _make_packer(self) -> struct.Struct:
        """Combine all parameters into one `struct` format."""
        form = "<"
        end = 0
        for parameter in self._parameters:
            param = parameter.param
            if param.offset < end:
                raise ConfigurationError(
                    f"{self._kernel.display}: {_describe_parameter(param)} overlaps the parameter "
                    "before it"
                )
            form += f"{param.offset - end}x{parameter.code}"
            end = param.offset + param.size
        return struct.Struct(form)


def require_sequence(kernel: KernelRecord, values: object) -> None:
    """Raise ConfigurationError if ``values`` is a single argument without the list around it."""
    is_text = isinstance(values, (str, bytes, bytearray))
    if is_text or not isinstance(values, Sequence):
        raise ConfigurationError(
            f"{kernel.display}: args must be a sequence of arguments, such as [n, array], not "
            f"{describe_value(values)}"
        )


def _describe_parameter(param: Param) -> str:
    """Name a parameter in a message: ``argument 2 'n' (int)``."""
    name = f" {param.name!r}" if param.name else ""
    return f"argument {param.index}{name} ({param.type or f'{param.size} bytes'})"
