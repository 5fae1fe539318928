"""Launchers: convert the arguments of a kernel and launch it with one configuration.

The compiled launcher (``kbuild/native/python``) reads arguments, packs them, and calls the runtime
without other Python code for the usual types. `PythonLauncher` does the same where kbuild was built
without it.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, Protocol, TypeAlias

from kbuild.backends.interface.queue import ArrayInterface, LaunchCall
from kbuild.runtime.arguments.converters import UnsuitableValueError
from kbuild.runtime.arguments.encoder import ArgumentEncoder, Frame

try:
    from kbuild.runtime.arguments import _launcher
except ImportError:
    _launcher = None  # type: ignore[assignment]

IS_COMPILED: Final = _launcher is not None
# The results of Launcher.launch.
NOT_LAUNCHED: Final = 0
LAUNCHED: Final = 1
LAUNCHED_IN_STREAM_OF_ARRAYS: Final = 2

# Returns the stream that a library's arrays are used in, or None if no value states one.
FindStream: TypeAlias = Callable[[Sequence[Any]], "int | None"]


class Launcher(Protocol):
    """Launches one kernel with one configuration; threads can share it."""

    def launch(self, *values: object) -> int:
        """Launch with ``values``.

        Returns:
            `LAUNCHED`; `LAUNCHED_IN_STREAM_OF_ARRAYS` if the configuration has no stream, but the
            arrays' library does; `NOT_LAUNCHED` if a value is wrong, or an array that has to be
            copied to the device.

        Raises:
            LaunchError: The device refuses the launch.
        """


class PythonLauncher:
    """A launcher in Python.

    Args:
        encoder: The arguments of the kernel.
        call: The call that launches.
        find_stream: Finds the stream of the arguments; None if the configuration has a stream.
    """

    def __init__(
        self, encoder: ArgumentEncoder, call: LaunchCall, find_stream: FindStream | None
    ) -> None:
        self._encoder = encoder
        self._call = call
        self._find_stream = find_stream

    def launch(self, *values: object) -> int:
        """See `Launcher`. Arrays with a stream are not launched."""
        if self._find_stream is not None and self._find_stream(values) is not None:
            return NOT_LAUNCHED
        return int(self._encoder.launch(values, self._submit))

    def _submit(self, frame: Frame, values: Sequence[Any]) -> None:
        submit(self._call, frame, values)


def make_launcher(
    encoder: ArgumentEncoder,
    call: LaunchCall,
    interface: ArrayInterface,
    find_stream: FindStream | None,
) -> Launcher:
    """Return the best launcher that this kbuild has."""
    if _launcher is None:
        return PythonLauncher(encoder, call, find_stream)
    return _launcher.Launcher(
        parameters=encoder.rows,
        devices=interface.devices,
        interface=interface.attribute,
        entry=call.entry,
        function=call.function,
        config=call.config,
        stream=interface.stream,
        stream_offset=-1 if find_stream is None else call.stream_offset,
        is_driver=call.is_driver,
        prepare=call.prepare,
        keep=call.keep,
        recover=call.recover,
        refused=(UnsuitableValueError, struct.error, OverflowError),
        owner=call.owner,
    )


def submit(call: LaunchCall, frame: Frame, owners: Sequence[Any]) -> None:
    """Launch with the arguments in ``frame``.

    Args:
        call: The launch.
        frame: The arguments.
        owners: The objects that keep the memory of the arguments alive.

    Raises:
        LaunchError: The device refuses the launch.
    """
    if call.prepare is not None:
        call.prepare()
    entry = _open_entry(call.entry, call.is_driver)
    first, second = (call.config, call.function) if call.is_driver else (call.function, call.config)
    rest = (None,) if call.is_driver else ()
    status = entry(first, second, frame.address, *rest)
    if status != 0 and call.recover(status, True):  # noqa: FBT003 - the first try
        status = entry(first, second, frame.address, *rest)
        if status != 0:
            call.recover(status, False)  # noqa: FBT003 - the second try
    if call.keep is not None:
        call.keep(owners)


@cache
def _open_entry(address: int, is_driver: bool) -> Any:
    count = 4 if is_driver else 3
    kind = ctypes.CFUNCTYPE(ctypes.c_int, *(ctypes.c_void_p,) * count)
    return kind(address)
