"""Options for reading artifacts: what to read, and the limits of memory and work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from kbuild.formats import compression, wheel
from kbuild.values import dataclass

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """The parts to read, and the limits for reading them.

    Attributes:
        summary: Read only the lists of images in the containers, not the images themselves.
        code: Also compute digests of the device code.
        image_limit: The maximum decompressed size of one image, in bytes.
        archive_limit: The maximum decompressed size of all members of an archive together, in
            bytes. It also limits the images of one file, which may take this much or 64 times
            the size of their containers, whichever is more.
        jobs: The number of processes. None means one per core.
        progress: A function that receives the number of bytes read since its last call.
    """

    summary: bool = False
    code: bool = False
    image_limit: int = compression.DEFAULT_LIMIT
    archive_limit: int = wheel.DEFAULT_LIMIT
    jobs: int | None = None
    progress: Progress | None = None


DEFAULTS: Final = ReadOptions()
