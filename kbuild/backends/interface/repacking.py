"""The ``repacking`` capability: write containers again with fewer or more images."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from kbuild.backends.interface.read import StoredImage
from kbuild.formats.buffer import Buffer
from kbuild.model import CompressionMode


class ImageRepacker(Protocol):
    """The functions of a backend's ``repacking`` module, which are pure.

    They return a container in parts, which are views of the old ones where possible.
    """

    def group_images(self, images: Sequence[StoredImage]) -> tuple[tuple[StoredImage, ...], ...]:
        """Return the images of a container in groups that are compressed together."""

    def find_stored(self, image: StoredImage, content: Buffer) -> Buffer:
        """Return the bytes of a container that go with an image, and all others of its group."""

    def estimate_size(
        self, data: Buffer, image: StoredImage, mode: CompressionMode, *, is_relocatable: bool
    ) -> tuple[int, bool]:
        """Return how many bytes an image takes in a container, and whether it is compressed.

        Args:
            data: The decompressed image.
            image: The image as it is stored now.
            mode: The compression mode of the vendor's tools.
            is_relocatable: Whether the image is the input of a device link.
        """

    def remove_images(
        self, content: Buffer, is_kept: Callable[[StoredImage], bool]
    ) -> tuple[Buffer, ...]:
        """Return a container with only the images that are kept.

        A group of images stays if one of them is kept.

        Args:
            content: One container, and the padding behind it.
            is_kept: A function that receives an image as the backend's reader lists it.
        """

    def join_containers(self, contents: Sequence[Buffer]) -> tuple[Buffer, ...]:
        """Return one container with the images of several, each of them once.

        Raises:
            InputError: Two containers have different images for one architecture.
        """
