"""Streams that Python code creates in one way on every backend."""

from __future__ import annotations

from kbuild.backends.interface.queue import Queue


class Stream:
    """A stream of a device, for the launches of all kernels on this device.

    Launches in one stream run in order, and those in several streams at the same time.
    `KernelExecutor.create_stream` and `CompiledKernel.create_stream` create streams.  A stream
    exists as long as something refers to it, such as the configuration of a launch.
    """

    def __init__(self, queue: Queue) -> None:
        self.queue = queue

    def __repr__(self) -> str:
        return f"<stream {self.handle:#x}>"

    @property
    def handle(self) -> int:
        """The address of the stream in the runtime of the backend."""
        return self.queue.handle

    def synchronize(self) -> None:
        """Wait for all launches in the stream.

        Raises:
            LaunchError: One of the launches failed.
        """
        self.queue.synchronize()
