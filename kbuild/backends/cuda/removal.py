"""Remove device images from NVIDIA's containers."""

from __future__ import annotations

from collections.abc import Callable

from kbuild.backends.cuda.read import describe_entry
from kbuild.backends.interface.read import StoredImage
from kbuild.formats.buffer import Buffer
from kbuild.formats.nvidia.fatbin.removal import remove_entries


def remove_images(content: Buffer, is_kept: Callable[[StoredImage], bool]) -> bytes:
    """See `ImageRemover`."""
    return remove_entries(content, lambda entry: is_kept(describe_entry(entry)))
