"""The ``removal`` capability: remove device images from a container."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from kbuild.backends.interface.read import StoredImage
from kbuild.formats.buffer import Buffer


class ImageRemover(Protocol):
    """The functions of a backend's ``removal`` module, which are pure."""

    def remove_images(self, content: Buffer, is_kept: Callable[[StoredImage], bool]) -> bytes:
        """Return a container of the same size that has only the images that are kept.

        The container starts where it did, and ends with zeros in place of the removed images.
        Images that are compressed together stay if one of them is kept.

        Args:
            content: One container, and the padding behind it.
            is_kept: A function that receives an image as the backend's reader lists it.
        """
