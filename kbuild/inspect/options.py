"""What to read of artifacts, and how much work and memory that may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from kbuild.formats import compression, wheel

Progress = Callable[[int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """``summary`` reads the containers' lists of images alone, ``code`` the digests of code too.

    ``image_limit`` bounds what one image takes up decompressed, ``archive_limit`` what the
    members of one archive, or the images of one file (that many or 64 times its size), do
    together, in bytes.  ``jobs`` is the number of processes (None:
    one a core).  ``progress`` is called with the number of bytes that were read since.
    """

    summary: bool = False
    code: bool = False
    image_limit: int = compression.DEFAULT_LIMIT
    archive_limit: int = wheel.DEFAULT_LIMIT
    jobs: int | None = None
    progress: Progress | None = None


DEFAULTS: Final = ReadOptions()
